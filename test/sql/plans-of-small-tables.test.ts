import { expect } from 'chai';
import pg from 'pg';
import { withSession } from '../../src/db/session.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const MANY = 3_000;
const ORDERS = 10;
const MOST_ROWS = 25; // that the statements of an order read of a table: its own rows, some of them several times

/** What grows: rows of others, so that a plan that reads all of a table, or all that belongs to a partner, is seen. */
const GROWN = `
  insert into partners (id, name) select 'ptn_' || n, n::text from generate_series(1, ${MANY}) n;
  insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
  select 'e_' || n, 'e', n, 'ptn_a', gen_random_uuid(), 'crypto', 1, 'active' from generate_series(1, ${MANY}) n;
  insert into intents (id, kind, owner, lane, request, digest, deadline_at, state, settled_at, outcome)
  select gen_random_uuid(), 'network/place', 'ptn_a', 'netvenue:e_' || n || ':BTCUSDC', '{}', '', now(), 'succeeded', now(), '{}'
  from generate_series(1, ${MANY}) n;
  insert into orders (id, venue, owner, trader, pair, handle, terms)
  select i.id, 'netvenue', 'ptn_a', 'e_' || i.position, 'BTCUSDC', i.id::text, '{}' from intents i where i.settled_at is not null
  on conflict do nothing;
  insert into orders (id, venue, owner, trader, pair, handle, terms, executed)
  select gen_random_uuid(), 'exvenue', 'ptn_b', '0x' || n, 'BTC', n::text, '{}', jsonb_build_object('ex_order_id', n::text)
  from generate_series(1, ${MANY}) n;
  insert into exchange_fills (ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, filled_at)
  select '0x' || n, n, n::text, 'BTC', 'buy', 1, 1, 0, 0, 0, 'USDC', false, now() from generate_series(1, ${MANY}) n;
  insert into exchange_cursors (ex_wallet, read_to) select '0x' || n, now() from generate_series(1, ${MANY}) n;
  insert into wanted_exits (venue, trader, pair, owner) select 'exvenue', '0x' || n, 'BTC', 'ptn_b' from generate_series(1, ${MANY}) n;
  insert into lanes (name) select 'netvenue:e_' || n || ':ETHUSDC' from generate_series(1, ${MANY}) n;
  insert into paces (name) select 'signals:e_' || n from generate_series(1, ${MANY}) n;
  select graphile_worker.add_job('mail/send', '{}', run_at => now() + interval '1 day') from generate_series(1, ${MANY}) n`;

/** What those who trade here have done before: a plan that reads all of one trader, wallet or lane is seen. */
const OWN_PAST = `
  with traded as (
    insert into intents (id, kind, owner, lane, request, digest, deadline_at, state, settled_at, outcome)
    select gen_random_uuid(), k.kind, 'ptn_a', k.lane, k.request, '', now(), 'succeeded', now(), '{}'
    from generate_series(1, ${MANY}) n
    cross join (values
      ('network/place', 'netvenue:t:BTCUSDC', '{"trader": "t", "subaccount_id": 0}'::jsonb),
      ('exchange/place', 'exvenue:0xw', '{"wallet": "0xw"}')
    ) as k (kind, lane, request)
    returning id, kind
  )
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
  select t.id, k.venue, 'ptn_a', k.trader, k.pair, t.id::text, '{}', 'filled', jsonb_build_object('ex_order_id', 'past ' || t.id)
  from traded t
  join (values ('network/place', 'netvenue', 't', 'BTCUSDC'), ('exchange/place', 'exvenue', '0xw', 'BTC')) as k (kind, venue, trader, pair)
    on k.kind = t.kind;
  insert into exchange_fills (ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, filled_at)
  select '0xw', n, 'past ' || n, 'BTC', 'buy', 1, 1, 0, 0, 0, 'USDC', false, now() from generate_series(1, ${MANY}) n;
  insert into idempotency_keys (owner, key, intent_id, digest) select 'ptn_a', 'past ' || n, gen_random_uuid(), '' from generate_series(1, ${MANY}) n`;

/** What autovacuum has read since the tables have grown. */
const STATISTICS = {
  'a database that is new': { others: false, own: false },
  'a database where most wallets have traded little': { others: true, own: false },
  'a database where one trader and one wallet have traded much': { others: false, own: true },
};

/** While a table is small a plan that reads all of it may look cheapest, and a session keeps its plans while the table grows. */
for (const [database, analyzed] of Object.entries(STATISTICS))
  describe(`the statements of an order, in ${database}`, () => {
    let intentDb: IntentDatabase;
    let client: pg.Client;
    before(async () => {
      intentDb = await openIntentDatabase({ ownPlans: true });
      client = new pg.Client(withSession(intentDb.url));
      await client.connect();
      await intentDb.query(`
      insert into partners (id, name) values ('ptn_a', 'a');
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('t', 'e', 0, 'ptn_a', gen_random_uuid(), 'crypto', 1, 'active')`);
      await intentDb.query('vacuum analyze'); // a table that was never vacuumed is taken for one of ten pages
      for (let n = 0; n < 8; n += 1) await place();
      for (let n = 0; n < 8; n += 1) await placeAtExchange(n); // a plan is kept from the sixth execution on
      for (let n = 0; n < 8; n += 1) await placeUnpriced(n);
      await intentDb.query(GROWN);
      if (analyzed.others) await intentDb.query('vacuum analyze');
      await intentDb.query(OWN_PAST);
      if (analyzed.own) await intentDb.query('vacuum analyze');
    });
    after(async () => {
      await client.end();
      await intentDb.close();
    });

    async function place(): Promise<void> {
      const { id } = item();
      const order = {
        id,
        kind: 'network/place',
        owner: 'ptn_a',
        trader: 't',
        pair: 'BTCUSDC',
        lane: 'netvenue:t:BTCUSDC',
        n: 0,
      };
      const what = {
        request: { trader: 't', subaccount_id: 0 },
        terms: {},
        digest: '00',
        deadline_s: 60,
        idempotency_key: id,
      };
      await prepared('accept', 'select accept_network_orders($1)', JSON.stringify([{ ...order, ...what }]));
      await prepared(
        'begin',
        `select is_ready($1), begin_sending_within($1, 0, '{}', 'miner:e', 9, 60, 1, false, 'signals:t', 1000, 1, true)`,
        id,
      );
      const executed = { order_type: 'LONG', quantity: 1, price: 2 };
      await prepared(
        'end',
        `with settled as materialized (select settle_claim($1, 1, 'succeeded', $2))
       select emit_ended(array[$1::uuid], change_orders($3)) from settled`,
        id,
        JSON.stringify({ result: { executed } }),
        JSON.stringify([{ id, lifecycle: 'filled', executed }]),
      );
    }

    async function placeAtExchange(n: number, fill_price: string | null = '2'): Promise<void> {
      const { id } = item();
      const order = {
        id,
        kind: 'exchange/place',
        owner: 'ptn_a',
        trader: '0xw',
        pair: 'BTC',
        lane: 'exvenue:0xw',
        n: 0,
      };
      const what = { request: { wallet: '0xw' }, terms: { pair: 'BTC' }, digest: '00', deadline_s: 60 };
      await prepared('accept_judged', 'select accept_orders($1, null)', JSON.stringify([{ ...order, ...what }]));
      await prepared('begin_alone', `select begin_sending($1, 0, '{}', true)`, id);
      const report = { ex_order_id: `own ${n}`, size: '1', filled_size: '1', fill_price };
      await prepared(
        'end_at_exchange',
        `with settled as materialized (select settle_claim($1, 1, 'succeeded', $2))
       select emit_ended(array[$1::uuid], record_exchange_order($1, '0xw', 'filled', $3, '[]')) from settled`,
        id,
        JSON.stringify({ result: { ...report, executed: report } }),
        JSON.stringify(report),
      );
    }

    /** Its executions tell its price, once they are recorded. */
    const placeUnpriced = (n: number) => placeAtExchange(1_000 + n, null);

    const prepared = (name: string, text: string, ...values: string[]) => client.query({ name, text, values });

    for (const [venue, placeOne] of Object.entries({
      network: place,
      exchange: (n: number) => placeAtExchange(n),
      'exchange without a price yet': placeUnpriced,
    }))
      it(`read the rows of that order of the ${venue} and few others, however large the tables have become`, () =>
        expectFewRead(placeOne));

    async function expectFewRead(placeOne: (n: number) => Promise<void>): Promise<void> {
      const before = await rowsRead();
      for (let n = 0; n < ORDERS; n += 1) await placeOne(100 + n);
      const after = await rowsRead();

      const read = [...after].map(([table, rows]) => ({ table, rows: (rows - (before.get(table) ?? 0)) / ORDERS }));
      expect(read.filter(({ rows }) => rows > MOST_ROWS)).to.deep.equal([]);
      expect(read.find(({ table }) => table === 'intents')?.rows).to.be.above(1);
    }

    /** The rows that were read so far of every table that grows, by a scan of it or by an index. */
    async function rowsRead(): Promise<Map<string, number>> {
      await client.query('select pg_stat_force_next_flush()');
      const rows = await intentDb.query<{ table: string; rows: number }>(`
      select relname as table, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_all_tables
      where schemaname in ('public', 'graphile_worker') and relname not in ('intent_kinds', 'upstream_slots')`);
      return new Map(rows.map(({ table, rows: read }) => [table, read]));
    }
  });
