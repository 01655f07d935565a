import { expect } from 'chai';
import { item, openSpine, type Spine } from '../support/spine.ts';

const SETTLED = 5_000;
const OPEN = 300;

describe('one of many open intents', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
    await spine.query(
      `insert into intents (id, kind, owner, request, digest, deadline_at, state, settled_at, outcome)
       select gen_random_uuid(), 'network/place', 'ptn_a', '{}', '\\x00', now(), 'succeeded', now(), '{"result": {}}'
       from generate_series(1, $1)`,
      [SETTLED],
    );
    await spine.query('vacuum analyze intents'); // plans are made as if nothing were ever open
  });
  after(() => spine.close());

  it('is claimed, sent, retried, marked in doubt and settled by its id alone', async () => {
    const items = Array.from({ length: OPEN }, () => item());
    await spine.accept(...items);
    const before = await openEntriesRead();

    for (const { id } of items) {
      await spine.claim(id);
      await spine.retry(id, 1);
      await spine.claim(id);
      await spine.beginSending(id, 2);
      await spine.markInDoubt(id, 2);
      await spine.settle(id, 2);
    }

    expect(await openEntriesRead()).to.equal(before);
    expect(await spine.query(`select from intents where settled_at is null`)).to.have.length(0);
  });

  /** Entries read from the indexes that hold open intents only. */
  async function openEntriesRead(): Promise<number> {
    await spine.query('select pg_stat_force_next_flush()');
    const [row] = await spine.query<{ read: number }>(
      `select sum(idx_tup_read)::integer as read from pg_stat_user_indexes where indexrelname in ('intents_open', 'intents_in_lane')`,
    );
    return row?.read ?? 0;
  }
});
