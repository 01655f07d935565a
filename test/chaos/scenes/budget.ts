import { setTimeout as sleep } from 'node:timers/promises';
import { usualCoins } from '../../../src/sandbox/exchange/coins.ts';
import type { Wallet } from '../callers.ts';
import { atPace } from '../load.ts';
import { openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { startWeighed, type Weighed } from '../weighed.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = 1_200;
/** Eight builder dexes, as many as the venue listed in July 2026. */
const DEXES = ['flx', 'vntl', 'hyna', 'km', 'cash', 'para', 'io'];
const COINS = [
  ...usualCoins,
  ...DEXES.map((dex) => ({ name: `${dex}:GOLD`, sizeDecimals: 2, mid: '4000', maxLeverage: 10 })),
];
/** After this the exchange has forgotten what was spent. */
const WINDOW_MS = 62_000;
const CANCEL_EVERY = 64; // orders: a cancellation of all every 8 s

/** What came of the orders and cancellations that were offered. */
export type Shortage = {
  orders: number;
  placed: number;
  cancelAllMs: number[];
  failedCancels: number;
  burst: { orders: number; placed: number };
  weight: Weighed;
};

/** Offers more requests than the venue's budget admits if they are made carelessly: orders, polls and cancellations. */
export async function tradeWithinBudget({
  orders,
  burst,
  perSecond,
}: {
  orders: number;
  burst: number;
  perSecond: number;
}): Promise<Shortage> {
  const weight = await startWeighed(LIMIT);
  const stage = await openStage({
    webs: 1,
    workers: 2,
    exchange: { coins: COINS },
    settings: {
      EXVENUE_URL: weight.proxy.url,
      EXVENUE_BUDGET_PER_MINUTE: String(LIMIT),
      ORDER_DEADLINE_MS: '15000',
      THROTTLE_SCALE: '1000',
    },
  });
  weight.proxy.target = stage.exchange.url;
  try {
    const wallets = await stage.wallets(10);
    await untilConfirmed(stage);
    await sleep(WINDOW_MS);
    const cancelAllMs: number[] = [];
    let failedCancels = 0;
    const ids = await atPace({ perSecond, goOn: (n) => n < orders }, async (n) => {
      const wallet = wallets[n % wallets.length] as Wallet; // as: there are ten
      const side = n % 2 === 0 ? 'long' : 'short';
      const order = n % 4 === 0 ? { order_type: 'market', side } : { order_type: 'limit', side: 'long', price: 50_000 };
      if (n % CANCEL_EVERY === CANCEL_EVERY - 1) {
        const startedAt = performance.now();
        const { status, body } = await wallet.delete(ORDERS);
        cancelAllMs.push(performance.now() - startedAt);
        if (status !== 200 || body.status === 'partial') failedCancels += 1;
      }
      const { headers } = await wallet.post(ORDERS, { pair: 'BTC', size: '0.001', ...order }, { prefer: 'wait=0' });
      return String(headers['intent-id']);
    });
    const placed = await countPlaced(stage, ids);
    await sleep(WINDOW_MS); // the budget of the burst is a minute's own
    const [first] = wallets as [Wallet];
    const limit = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'limit', price: 50_000 };
    const burstIds = await Promise.all(
      Array.from({ length: burst }, async () =>
        String((await first.post(ORDERS, limit, { prefer: 'wait=0' })).headers['intent-id']),
      ),
    );
    const burstPlaced = await countPlaced(stage, burstIds);
    return { orders, placed, cancelAllMs, failedCancels, burst: { orders: burst, placed: burstPlaced }, weight };
  } finally {
    await stage.close();
    await weight.proxy.close();
  }
}

/** Waits until the exchange has confirmed every key: that costs 60 of its weight for each, more than an order at such a time could wait for. */
async function untilConfirmed({ rows }: Stage): Promise<void> {
  while ((await rows('select from signing_keys where verified_at is null limit 1')).length > 0) await sleep(500);
}

/** How many of these orders were placed, once all have ended. */
async function countPlaced({ rows }: Stage, ids: string[]): Promise<number> {
  for (;;) {
    const [counted] = await rows<{ open: number; placed: number }>(
      `select count(*) filter (where settled_at is null)::integer open, count(*) filter (where state = 'succeeded')::integer placed
       from intents where id = any($1::uuid[])`,
      [ids],
    );
    if (counted?.open === 0) return counted.placed;
    await sleep(500);
  }
}

const PATIENCE_MS = 5_000;
const LEAST = 350 / 800;
const BURST_SHARE = 0.8;

/** The promises about the venue's request budget. */
export function budgetVerdicts({ orders, placed, cancelAllMs, failedCancels, burst, weight }: Shortage): Verdict[] {
  const slowest = Math.max(...cancelAllMs);
  const { weight: peak, rejected } = weight.peak();
  const shares = Object.entries(weight.spent()).sort(([, a], [, b]) => b - a);
  return [
    {
      promise: 'BUDGET',
      text: `cancel-all beside ${orders} orders at a budget of ${LIMIT} a minute, three processes, eight builder dexes`,
      figure: `${cancelAllMs.length - failedCancels} of ${cancelAllMs.length}, the slowest after ${seconds(slowest)}`,
      bound: `all, within ${seconds(PATIENCE_MS)}`,
      kept: failedCancels === 0 && slowest <= PATIENCE_MS,
    },
    {
      promise: 'BUDGET',
      text: 'orders placed beside them',
      figure: `${placed} of ${orders}`,
      bound: `at least ${Math.ceil(orders * LEAST)}`,
      kept: placed >= orders * LEAST,
    },
    {
      promise: 'BUDGET',
      text: `a burst of ${burst.orders} orders of one wallet`,
      figure: `${burst.placed} placed`,
      bound: `at least ${Math.ceil(burst.orders * BURST_SHARE)}`,
      kept: burst.placed >= burst.orders * BURST_SHARE,
    },
    {
      promise: 'BUDGET',
      text: 'weight within any minute, as the venue counts it',
      figure: `${peak} at most, ${rejected} requests rejected (${shares.map(([kind, spent]) => `${kind} ${spent}`).join(', ')})`,
      bound: `${LIMIT}, none`,
      kept: peak <= LIMIT && rejected === 0,
    },
  ];
}
