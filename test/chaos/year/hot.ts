import { sql } from 'slonik';
import { z } from 'zod';
import { listEvents } from '../../../src/capabilities/events/queries.ts';
import { type DbPool, openPool } from '../../../src/db/pool.ts';
import { acceptance } from '../../../src/intents/accept.ts';
import { beginSending, claim } from '../../../src/intents/claim.ts';
import { findIntent } from '../../../src/intents/follow.ts';
import type { Intent } from '../../../src/intents/intent.ts';
import { succeed } from '../../../src/intents/settle.ts';
import { newIntentId } from '../../../src/kernel/ids.ts';
import type { NewNetworkOrder } from '../../../src/venues/network/orders/intents.ts';
import { findRecordedOrder, listRecordedOrders } from '../../../src/venues/network/orders/queries.ts';

/** The statements of an order's life and of what its caller reads then, in the order in which they run. */
const STEPS = ['accept', 'claim', 'begin sending', 'settle and emit', 'read the intent', 'read the order'] as const;
const READS = ['page of orders', 'page of events'] as const;
type Step = (typeof STEPS)[number] | (typeof READS)[number];

/** Of each statement: milliseconds (median) beside much data and on an empty database. */
export type Hot = Record<Step, { past: number; none: number }>;

type Side = { db: DbPool; owner: string; trader: string; subaccountId: number };

/** Runs the statements in turn on both databases, each time for a new order. No worker may run. */
export async function timeHotStatements(urls: { past: string; none: string }, orders: number): Promise<Hot> {
  const past = await openSide(urls.past);
  const none = await openSide(urls.none);
  try {
    const taken = { past: timesOf(), none: timesOf() };
    const sides = [
      ['past', past],
      ['none', none],
    ] as const;
    for (let n = 0; n < orders; n++) {
      const isWarm = n >= orders / 10;
      for (const [name, side] of n % 2 === 0 ? sides : sides.toReversed())
        await liveOnce(side, isWarm ? taken[name] : timesOf());
    }
    const medians = [...STEPS, ...READS].map((step) => [
      step,
      { past: median(taken.past[step]), none: median(taken.none[step]) },
    ]);
    return Object.fromEntries(medians) as Hot; // as: every step is in it
  } finally {
    await past.db.end();
    await none.db.end();
  }
}

type Times = Record<Step, number[]>;
const timesOf = () => Object.fromEntries([...STEPS, ...READS].map((step) => [step, []])) as unknown as Times; // as: every step is in it
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const traderRow = z.object({ owner: z.string(), trader: z.string(), subaccount_id: z.number() });

async function openSide(url: string): Promise<Side> {
  const db = await openPool(url, 1, () => {});
  const { owner, trader, subaccount_id } = await db.one(sql.type(traderRow)`
    select s.owner, s.synthetic_hotkey as trader, s.subaccount_id
    from subaccounts s
    order by s.subaccount_id
    limit 1`);
  return { db, owner, trader, subaccountId: subaccount_id };
}

/** One order from its acceptance to its end, as web and worker write it, and what its caller reads. */
async function liveOnce({ db, owner, trader, subaccountId }: Side, times: Times): Promise<void> {
  const timed = async <T>(step: Step, run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await run();
    times[step].push(performance.now() - startedAt);
    return result;
  };
  const terms = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 } as const;
  const order: NewNetworkOrder = {
    id: newIntentId(),
    kind: 'network/place',
    owner,
    trader,
    pair: terms.trade_pair,
    lane: `netvenue:${trader}:${terms.trade_pair}`,
    terms,
    request: { trader, subaccount_id: subaccountId, terms },
    digest: '00',
    deadline_s: 60,
    idempotency_key: newIntentId(),
  };
  const { id } = await timed('accept', () => acceptance<NewNetworkOrder>(db, 'accept_network_orders')(order));
  const intent = (await timed('claim', () => claim(db, order))) as Intent; // as: it is queued, at the head of its lane
  await timed('begin sending', () => beginSending(db, intent, { signal: terms }));
  await timed('settle and emit', () =>
    succeed(db, intent, { executed: { price: 1, quantity: 1 }, lifecycle: 'filled' }),
  );
  await timed('read the intent', () => findIntent(db, owner, id));
  await timed('read the order', () => findRecordedOrder(db, owner, trader, id));
  await timed('page of orders', () => listRecordedOrders(db, owner, trader, { state: null, cursor: null, limit: 100 }));
  await timed('page of events', () => listEvents(db, owner, { after: null, limit: 100 }));
}
