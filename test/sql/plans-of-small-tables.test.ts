import { expect } from 'chai';
import pg from 'pg';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const ORDERS = 3_000;

/** While a table is small a plan that reads all of it may look cheapest, and a session keeps its plans while the table grows. */
describe('the statement that ends an order, in a database that is new', () => {
  let intentDb: IntentDatabase;
  let client: pg.Client;
  before(async () => {
    intentDb = await openIntentDatabase();
    client = new pg.Client(intentDb.url);
    await client.connect();
    await intentDb.query(`
      insert into orders (id, venue, owner, trader, pair, handle, terms)
      select gen_random_uuid(), 'netvenue', 'ptn_a', 't', 'BTCUSDC', gen_random_uuid()::text, '{}'
      from generate_series(1, ${ORDERS})`);
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a')`);
  });
  after(async () => {
    await client.end();
    await intentDb.close();
  });

  async function end(): Promise<void> {
    const { id } = item();
    const order = { id, kind: 'network/place', owner: 'ptn_a', request: { trader: 't' }, digest: '00', deadline_s: 60 };
    const batch = [{ ...order, n: 0, trader: 't', pair: 'BTCUSDC', terms: {} }];
    await client.query('select accept_orders($1, null)', [JSON.stringify(batch)]);
    await client.query('select claim_intent($1)', [id]);
    const executed = { order_type: 'LONG', quantity: 1, price: 2 };
    await client.query(`select settle_claim($1, 1, 'succeeded', $2)`, [id, JSON.stringify({ result: { executed } })]);
    await client.query({
      name: 'end',
      text: 'select emit_ended(array[$1::uuid], change_orders($2))',
      values: [id, JSON.stringify([{ id, lifecycle: 'filled', executed }])],
    });
  }

  it('reads the rows of that order and no others', async () => {
    for (let n = 0; n < 3; n += 1) await end();
    await client.query('select pg_stat_force_next_flush()');
    const read = async () => {
      const [row] = await intentDb.query<{ seq: number; idx: number }>(
        `select seq_tup_read::integer as seq, idx_tup_fetch::integer as idx from pg_stat_user_tables where relname = 'orders'`,
      );
      return row ?? { seq: 0, idx: 0 };
    };
    const before = await read();
    for (let n = 0; n < 10; n += 1) await end();
    await client.query('select pg_stat_force_next_flush()');
    const after = await read();

    expect(after.seq - before.seq).to.equal(0);
    expect(after.idx - before.idx).to.be.within(20, 200);
  });
});
