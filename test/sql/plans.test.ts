import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { listUnfulfilled } from '../../src/capabilities/accounts/prop/queries.ts';
import { queueDueSyncs } from '../../src/capabilities/accounts/prop/store.ts';
import { getCreations } from '../../src/capabilities/accounts/queries.ts';
import { listByState } from '../../src/capabilities/admin/deliveries/queries.ts';
import { rollUp } from '../../src/capabilities/admin/figures/commands.ts';
import { readSeries } from '../../src/capabilities/admin/figures/queries.ts';
import { listOrdersBy } from '../../src/capabilities/admin/orders/queries.ts';
import { readQueueHealth } from '../../src/capabilities/admin/queue/queries.ts';
import { assessAll, listTroubled } from '../../src/capabilities/admin/reruns/queries.ts';
import { wipeRetiredKeys } from '../../src/capabilities/enrollments/keys/store.ts';
import { hasEvent, listEvents } from '../../src/capabilities/events/queries.ts';
import { takeEvents } from '../../src/capabilities/payments/commands.ts';
import { queueReadings } from '../../src/capabilities/payments/store.ts';
import { isOtherPaying } from '../../src/capabilities/registration/queries.ts';
import { sweepWatches } from '../../src/capabilities/trading/watch/store.ts';
import { findDelivery, listAttempts, listDeliveries } from '../../src/capabilities/webhooks/deliveries/queries.ts';
import { laneStepper, requeueStrandedLanes } from '../../src/capabilities/webhooks/store.ts';
import { inBatches } from '../../src/db/batches.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { prunings } from '../../src/db/retention.ts';
import { acceptance } from '../../src/intents/accept.ts';
import { beginSending, claim } from '../../src/intents/claim.ts';
import { findIntent, intentReader } from '../../src/intents/follow.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { markInDoubt, succeed } from '../../src/intents/settle.ts';
import { requeueStranded } from '../../src/intents/sweep.ts';
import { type AppId, newIntentId } from '../../src/kernel/ids.ts';
import { readFigures } from '../../src/metrics/queries.ts';
import { listWatchedOrders } from '../../src/venues/exchange/ledger/queries.ts';
import { takeDueWallets } from '../../src/venues/exchange/ledger/store.ts';
import { listCandidates } from '../../src/venues/exchange/ledger/stream/queries.ts';
import { hasInDoubtUnderOtherKeys } from '../../src/venues/exchange/signing/queries.ts';
import type { NewNetworkOrder } from '../../src/venues/network/orders/intents.ts';
import * as orders from '../../src/venues/network/orders/queries.ts';
import { listOwnOrders } from '../../src/venues/network/portfolio/queries.ts';
import { listPlacedOrders } from '../../src/venues/queries.ts';
import { FILLED, fill } from '../support/fill.ts';
import { freshDatabase } from '../support/postgres.ts';

/** Tables that grow with every order and event. */
const GROWING = ['intents', 'orders', 'idempotency_keys', 'events', 'webhook_deliveries', 'webhook_attempts'];
const PAST = { intents: 40_000, traders: 20 };
const MOST_ROWS = 600; // rows one statement may read: one trader's orders, never those of all
const DAYS = { RETAIN_INTENTS_DAYS: 90, RETAIN_ORDERS_DAYS: 400, RETAIN_EVENTS_DAYS: 90, RETAIN_SESSIONS_DAYS: 30 };

const { owner, app, endpoint, entity } = FILLED;
const trader = `${entity}_7`;

describe('statements with much past data', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let db: DbPool;
  let past: { order: string; event: string; delivery: string };
  let held: Intent;
  before(async () => {
    database = await freshDatabase({ ownPlans: true });
    await fill(database.url, PAST);
    client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    db = await openPool(database.url, 1, () => {});
    const { rows } = await client.query(`
      select (select id from orders where trader = '${trader}' order by created_at desc limit 1 offset 1500) as "order",
        (select id from events order by id limit 1) as event, (select id from webhook_deliveries order by id limit 1) as delivery`);
    past = rows[0];
    await client.query('select pg_stat_force_next_flush()'); // rows read before are counted before the first statement
  });
  after(async () => {
    await client.end();
    await db.end();
    await database.drop();
  });

  const newIntent = (): NewNetworkOrder => ({
    id: newIntentId(),
    kind: 'network/place',
    owner,
    trader,
    pair: 'BTCUSDC',
    lane: `netvenue:${trader}:BTCUSDC`,
    terms: { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 },
    request: { trader, subaccount_id: 7 },
    digest: '00',
    deadline_s: 60,
    idempotency_key: newIntentId(),
  });
  const orderPage = (state: orders.OrderState | null, cursor: string | null) =>
    orders.listRecordedOrders(db, owner, trader, { state, cursor, limit: 50 });
  const lost = { cents: 1, currency: 'usd', status: 'succeeded', madeAtMs: 1 };
  const NO_LOSS = { ...lost, kind: 'refund' as const, id: 're_none' };
  const unknownEvent = { type: 'any.event', atMs: 5_000 };
  const newest = { from: null, to: null, cursor: null, limit: 50 };
  const appId = app as AppId; // as: the filled app's id
  const unfiltered = { kind: null, owner: null, cursor: null, limit: 50 };
  const view = (name: string) => () => db.any(sql.unsafe`select * from ${sql.identifier(['ops', name])} limit 50`);

  const statements: Record<string, () => Promise<unknown>> = {
    'acceptance of an order': async () => {
      const { id } = await acceptance<NewNetworkOrder>(db, 'accept_network_orders')(newIntent());
      held = { id } as Intent; // as: the next statements need its id alone
    },
    'acceptance of the same order again': () =>
      acceptance<NewNetworkOrder>(db, 'accept_network_orders')({ ...newIntent(), id: held.id, digest: '00' }),
    claim: async () => {
      held = (await claim(db, { ...held, kind: 'network/place' })) as Intent; // as: no other session claims it
    },
    'begin sending': () => beginSending(db, held, {}),
    settle: () => succeed(db, held, {}),
    markInDoubt: async () => {
      const { id } = await acceptance<NewNetworkOrder>(db, 'accept_network_orders')(newIntent());
      const taken = (await claim(db, { id, kind: 'network/place' })) as Intent; // as: no other session claims it
      await beginSending(db, taken, {});
      await markInDoubt(db, taken, 60_000, 'a test');
    },
    'waiting for an intent': () => intentReader(db)(past.order),
    'reading an intent': () => findIntent(db, owner, past.order),
    'reading an order': () => orders.findRecordedOrder(db, owner, trader, past.order),
    'the first page of orders': () => orderPage(null, null),
    'a later page of orders': () => orderPage(null, past.order),
    'open orders': () => orderPage('open', null),
    'filled orders': () => orderPage('filled', past.order),
    'resting orders': () => orders.listResting(db, trader),
    'the target of a cancel': () => orders.getTarget(db, past.order),
    'an order by its handle': () => orders.findOrderByHandle(db, trader, past.order),
    'orders in histories': () => listPlacedOrders(db, owner, [past.order]),
    'orders in histories of the network': () => listOwnOrders(db, owner, trader, [past.order]),
    'wallets that are due': () => takeDueWallets(db, 20, { busyS: 5, idleS: 60 }),
    'wallets to stream': () => listCandidates(db),
    'orders of a wallet that may change': () => listWatchedOrders(db, trader),
    'intents in doubt under other keys': () =>
      hasInDoubtUnderOtherKeys(db, { owner, exWallet: trader, keyId: 'key', recentMs: 15_000 }),
    'creations under way': () =>
      getCreations(db, { assetClass: 'crypto', accountSize: 10_000, entity, platform: entity }, [trader]),
    'purchases under way': () => isOtherPaying(db, past.order, '0x1'),
    'sweep of stranded intents': () => requeueStranded(db),
    'sweep of stranded lanes': () => requeueStrandedLanes(db),
    'sweep of prop accounts': () => queueDueSyncs(db, 1, 100),
    'sweep of watches': () => sweepWatches(db, 1, 100),
    'sweep of retired keys': () => wipeRetiredKeys(db),
    'unfulfilled payments': () => listUnfulfilled(db, 10),
    'events of unknown objects at the processor': () =>
      takeEvents(db, [
        {
          ...unknownEvent,
          id: 'evt_charge',
          fact: { about: 'charge', processorId: 'pi_none', loss: NO_LOSS },
        },
        {
          ...unknownEvent,
          id: 'evt_session',
          fact: { about: 'verification', sessionId: 'vs_none', status: 'verified', failure: null },
        },
      ]),
    'reconciliations of payments': () => queueReadings(db, 60),
    'an event with its delivery': () => db.any(sql.unsafe`select emit_event(${app}, 'a.b', '{}')`),
    'a step of a lane': () => laneStepper(db)({ endpoint_id: endpoint, lane: 0 }),
    'a page of events': () => listEvents(db, app, { after: past.event, limit: 50 }),
    'one event': () => hasEvent(db, app, past.event),
    'a page of deliveries': () => listDeliveries(db, app, endpoint, { cursor: past.delivery, limit: 50 }),
    'failed deliveries': () => listDeliveries(db, app, endpoint, { status: 'failed', cursor: null, limit: 50 }),
    'waiting deliveries': () => listDeliveries(db, app, endpoint, { status: 'pending', cursor: null, limit: 50 }),
    'one delivery': () => findDelivery(db, app, past.delivery),
    'attempts at a delivery': () => listAttempts(db, app, past.delivery),
    retention: () =>
      inBatches(prunings(db, DAYS), { most: 1_000, withinMs: 60_000, signal: new AbortController().signal }),
    'intents that failed': view('failed_intents'),
    'undecided intents': view('undecided_intents'),
    'stranded payouts': view('stranded_payouts'),
    'registrations without a record': view('unrecorded_registrations'),
    'intents in doubt': view('intents_in_doubt'),
    'stuck lanes': view('stuck_lanes'),
    'ages of intents': view('intent_ages'),
    'ages of deliveries': view('delivery_ages'),
    'dead deliveries': view('dead_deliveries'),
    'the operators’ list of troubles': () => listTroubled(db, { ...unfiltered, state: 'trouble' }),
    'the operators’ list of expired intents': () => listTroubled(db, { ...unfiltered, state: 'expired' }),
    'the orders of a trader': () => listOrdersBy(db, { ...newest, trader, state: 'any' }),
    'deliveries that arrived': () => listByState(db, 'delivered', { ...newest, appId: null, eventType: null }),
    'deliveries that arrived at an app': () => listByState(db, 'delivered', { ...newest, appId, eventType: null }),
    'deliveries of a type': () => listByState(db, 'delivered', { ...newest, appId, eventType: 'payment.succeeded' }),
    'deliveries that wait': () => listByState(db, 'pending', { ...newest, appId: null, eventType: null }),
    'deliveries that failed': () => listByState(db, 'failed', { ...newest, appId, eventType: 'payment.succeeded' }),
    'assessment of many re-runs': () => assessAll(db, { kind: null, owner: null, state: null }),
    'what an id names': () => db.any(sql.unsafe`select * from ops.find(${past.order})`),
    'what the id of a request names': () => db.any(sql.unsafe`select * from ops.find('req_7')`),
    'what the id of an event names': () => db.any(sql.unsafe`select * from ops.find(${past.event})`),
    'figures for metrics': () => readFigures(db, [], { name: 'exchange', burst: 1, perSecond: 1 }),
    'state of the queue for the console': () => readQueueHealth(db),
    'roll-up of figures': () => rollUp({ db, config: { EXVENUE_URL: 'exchange', EXVENUE_BUDGET_PER_MINUTE: 1 } }),
    'figures of a day': () => readSeries(db, { stepSeconds: 300, count: 288 }),
    'payments without an account': view('paid_without_account'),
    'the story of an intent': () => db.any(sql.unsafe`select * from ops.history(${past.order})`),
    'the intents of a request': () => db.any(sql.unsafe`select * from ops.intents i where i.request_id = 'a request'`),
    'the assessment of a re-run': () => db.any(sql.unsafe`select * from ops.safe_to_rerun(${past.order})`),
  };

  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    describe(`with ${mode}`, () => {
      before(() => db.query(sql.unsafe`select set_config('plan_cache_mode', ${mode}, false)`));

      for (const [name, run] of Object.entries(statements)) {
        it(`${name} reads few rows and scans no whole table`, async () => {
          expect(await readsTooMany(run)).to.deep.equal([]);
        });
      }
    });
  }

  it('detects a statement that scans a whole table, and one that reads too many rows', async () => {
    const all = await readsTooMany(() => db.any(sql.unsafe`select count(*) from events`));
    const many = await readsTooMany(() =>
      db.any(sql.unsafe`select count(o.executed) from orders o where o.trader = ${trader}`),
    );

    expect(all.map(({ table }) => table)).to.deep.equal(['events']);
    expect(many.map(({ table }) => table)).to.deep.equal(['orders']);
  });

  /** The growing tables of which a statement reads more than allowed. */
  async function readsTooMany(run: () => Promise<unknown>) {
    const before = await readsOf(client);
    await run();
    await db.query(sql.unsafe`select pg_stat_force_next_flush()`);
    const after = await readsOf(client);
    const reads = GROWING.map((table) => ({
      table,
      scans: Number(after[table]?.scans) - Number(before[table]?.scans),
      rows: Number(after[table]?.rows) - Number(before[table]?.rows),
    }));
    return reads.filter(({ scans, rows }) => scans > 0 || rows > MOST_ROWS);
  }
});

type Reads = Record<string, { scans: string; rows: string }>;

/** How often each table was scanned, and how many of its rows were read by an index, so far. */
async function readsOf(client: Client): Promise<Reads> {
  const { rows } = await client.query(`
    select t.relname, t.seq_scan as scans,
      (select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid) as rows
    from pg_stat_user_tables t
    where t.schemaname = 'public'`);
  return Object.fromEntries(rows.map(({ relname, scans, rows }) => [relname, { scans, rows }]));
}
