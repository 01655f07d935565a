import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const SETTLED = 5_000;
const OPEN = 300;

describe('one of many open intents', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(
      `insert into intents (id, kind, owner, request, digest, deadline_at, state, settled_at, outcome)
       select gen_random_uuid(), 'network/place', 'ptn_a', '{}', '\\x00', now(), 'succeeded', now(), '{"result": {}}'
       from generate_series(1, $1)`,
      [SETTLED],
    );
    await intentDb.query('vacuum analyze intents'); // plans are made as if nothing were ever open
  });
  after(() => intentDb.close());

  it('is claimed, sent, retried, marked in doubt and settled by its id alone', async () => {
    const items = Array.from({ length: OPEN }, () => item());
    await intentDb.accept(...items);
    const before = await openEntriesRead();

    for (const { id } of items) {
      await intentDb.claim(id);
      await intentDb.retry(id, 1);
      await intentDb.claim(id);
      await intentDb.beginSending(id, 2);
      await intentDb.markInDoubt(id, 2);
      await intentDb.settle(id, 2);
    }

    expect(await openEntriesRead()).to.equal(before);
    expect(await intentDb.query(`select from intents where settled_at is null`)).to.have.length(0);
  });

  /** Entries read from the indexes that hold open intents only. */
  async function openEntriesRead(): Promise<number> {
    await intentDb.query('select pg_stat_force_next_flush()');
    const [row] = await intentDb.query<{ read: number }>(
      `select sum(idx_tup_read)::integer as read from pg_stat_user_indexes where indexrelname in ('intents_open', 'intents_in_lane')`,
    );
    return row?.read ?? 0;
  }
});
