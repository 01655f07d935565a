import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

/** What changes when an intent begins to be sent, and when its order ends: an index that names such a column gets a new entry each time. */
const CHANGING: Record<string, string[]> = {
  intents: ['state', 'fence', 'attempts', 'sender_lost', 'sending_at', 'upstream', 'pace', 'sent_payload'],
  orders: ['lifecycle', 'executed', 'protection', 'terms', 'absent_since'],
};
const ORDERS = 50;
const MOST_BYTES = 3_700;
const UPSTREAM = 'miner:test';

/** What an order writes to the log of the database. */
describe('the log of an order', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase({ ownPlans: true });
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a')`);
  });
  afterEach(() => intentDb.close());

  async function accept(): Promise<string> {
    const one = item({ trader: 't', pair: 'BTCUSDC', terms: {}, lane: 'netvenue:t:BTCUSDC', request: { trader: 't' } });
    await intentDb.query('select accept_orders($1, null)', [JSON.stringify([{ ...one, n: 0 }])]);
    return one.id;
  }

  async function send(id: string, payload: object = {}): Promise<void> {
    const [begun] = await intentDb.query(
      `select begin_sending_within($1, 0, $2, $3, 9, 60, claims => true) as verdict`,
      [id, JSON.stringify(payload), UPSTREAM],
    );
    expect(begun).to.deep.equal({ verdict: 'sent' });
  }

  async function settle(id: string): Promise<void> {
    const executed = { order_type: 'LONG', quantity: 1, price: 2 };
    await intentDb.query(
      `with settled as materialized (select settle_claim($1, 1, 'succeeded', $2))
       select emit_ended(array[$1::uuid], change_orders($3)) from settled`,
      [id, JSON.stringify({ result: { executed } }), JSON.stringify([{ id, lifecycle: 'filled', executed }])],
    );
  }

  async function logged(run: () => Promise<unknown>): Promise<number> {
    const end = async () => {
      const [row] = await intentDb.query<{ bytes: number }>(
        `select (pg_current_wal_insert_lsn() - '0/0')::double precision as bytes`,
      );
      return row?.bytes ?? 0;
    };
    const before = await end();
    await run();
    return (await end()) - before;
  }

  for (const [table, columns] of Object.entries(CHANGING))
    it(`no index of ${table} names what changes in every order`, async () => {
      const named = await intentDb.query(
        `select distinct x.indexrelid::regclass::text as index, a.attname as column
         from pg_index x
         join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = x.indexrelid and d.refobjid = x.indrelid
         join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
         where x.indrelid = $1::regclass and a.attname = any($2)`,
        [table, columns],
      );

      expect(named).to.deep.equal([]);
    });

  it(`an order is no more than ${MOST_BYTES} bytes, without what the queue does with its job afterwards`, async () => {
    const order = async () => {
      const id = await accept();
      await send(id);
      await settle(id);
    };
    for (let n = 0; n < ORDERS; n += 1) await order(); // pages, plans, slots
    await intentDb.query('checkpoint');
    for (let n = 0; n < 2 * ORDERS; n += 1) await order(); // each page is logged once as a whole

    const bytes = await logged(async () => {
      for (let n = 0; n < ORDERS; n += 1) await order();
    });

    expect(bytes / ORDERS).to.be.below(MOST_BYTES);
  });

  it('rows stay in their page: an intent until it ends, an order and its slot always', async () => {
    for (let n = 0; n < ORDERS; n += 1) {
      const id = await accept();
      await send(id);
      await settle(id);
    }

    await intentDb.query('select pg_stat_force_next_flush()');
    const rows = await intentDb.query<{ table: string; all: number; hot: number }>(`
      select relname as table, n_tup_upd::integer as all, n_tup_hot_upd::integer as hot
      from pg_stat_user_tables
      where relname in ('intents', 'orders', 'upstream_slots', 'lanes')
      order by relname`);
    const { intents, ...others } = Object.fromEntries(rows.map(({ table, all, hot }) => [table, all - hot]));
    expect(intents).to.be.within(ORDERS, ORDERS * 1.1); // few do not fit into their page
    expect(others).to.deep.equal({ lanes: 0, orders: 0, upstream_slots: 0 });
  });

  it('what was sent is not logged again when the intent ends', async () => {
    const ended = async (payload: object) => {
      const id = await accept();
      await send(id, payload);
      return logged(() => settle(id));
    };
    await ended({});

    const [small, large] = [await ended({}), await ended({ signal: 'x'.repeat(1_200) })];

    expect(large - small).to.be.within(-300, 300); // a page may be pruned meanwhile
  });
});
