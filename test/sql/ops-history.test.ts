import { expect } from 'chai';
import { Client } from 'pg';
import { openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { freshDatabase } from '../support/postgres.ts';

const ID = '00000000-0000-7000-8000-000000000001';
const LATER = 20_000;

describe('ops.history of an intent that ended long ago', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  before(async () => {
    database = await freshDatabase({ ownPlans: true });
    client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    await client.query(`
      insert into partners (id, name) values ('ptn_1', 'One');
      insert into intents (id, kind, owner, request, digest, created_at, deadline_at, state, settled_at, outcome)
      values ('${ID}', 'network/place', 'ptn_1', '{}', '\\x00', now() - interval '10 days', now() - interval '10 days', 'succeeded',
        now() - interval '10 days' + interval '1 second', '{}');
      insert into orders (id, venue, owner, trader, pair) values ('${ID}', 'netvenue', 'ptn_1', 'trader', 'BTCUSDC');
      insert into event_logs (owner, last_position) values ('ptn_1', ${LATER + 1});
      insert into events (id, owner, type, position, created_at, data)
      select 'evt_' || n, 'ptn_1', 'order.updated', n,
        case when n = 1 then now() - interval '10 days' + interval '1 second' else now() - interval '5 days' + n * interval '1 second' end,
        case when n = 1 then '{"order_uuid": "${ID}"}' else '{"about": "' || repeat('x', 400) || '"}' end
      from generate_series(1, ${LATER + 1}) n;
      analyze`);
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('shows its event, and reads none of the log that was written since', async () => {
    const before = await rowsRead();
    const { rows } = await client.query(`select what, detail from ops.history('${ID}') where what = 'event'`);

    expect(rows).to.deep.equal([{ what: 'event', detail: 'order.updated evt_1' }]);
    expect((await rowsRead()) - before).to.be.below(LATER / 40);
  });

  /** The rows of the log that were read so far. */
  async function rowsRead(): Promise<number> {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query(
      `select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'events'`,
    );
    return rows[0].read;
  }
});

describe('ops.history of a step of a payout', () => {
  it('shows what operators did with the payout', async () => {
    const intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`update payout_steps set state = 'unknown', processor_id = null`);
    const [step] = await intentDb.query<{ intent_id: string }>('select intent_id from payout_steps');
    await intentDb.query(`select ops.resolve_payout('po_1', 'po_9', 'ada', 'seen in its list')`);

    const told = await intentDb.query<{ detail: string }>(
      `select h.detail from ops.history($1) h where h.what = 'operator'`,
      [step?.intent_id],
    );
    await intentDb.close();

    expect(told.map(({ detail }) => detail.replace(/^\S+ /, ''))).to.include(
      'resolve_payout: malformed, seen in its list',
    );
  });
});
