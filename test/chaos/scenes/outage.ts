import { until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';

const SETTLED_WITHIN_MS = 120_000;

type Options = { seed: number; perSecond: number; inDoubt: number; outageMs: number; settings: Record<string, string> };

/** The result of orders that both venues left without a response. */
export type Outage = {
  outageMs: number;
  /**
   * Orders whose effect was unknown when the venues responded again, and how long after that the last one was settled.
   */
  unknown: number;
  settledMs: number;
  orders: Audit;
  exchange: ExchangeAudit;
};

/**
 * Both venues accept orders without a response, half of them executed, then become unreachable; later they respond
 * again.
 */
export async function settleAfterOutage(options: Options): Promise<Outage> {
  const stage = await openStage({ workers: 2, settings: { ...options.settings, EXVENUE_BUDGET_PER_MINUTE: '24000' } });
  const upstreams = [
    [stage.upstream.faults, 'POST /miner/api/submit-order'],
    [stage.exchange.faults, 'POST /exchange'],
  ] as const;
  try {
    let enough = false;
    const pace = { perSecond: options.perSecond, goOn: () => !enough };
    for (const [faults, route] of upstreams) {
      faults.add({ kind: 'accept_then_drop', route, rate: 0.5, seed: options.seed });
      faults.add({ kind: 'hang', route });
    }
    const load = Promise.all([loadNetwork(stage, 30, pace), loadExchange(stage, 20, pace)]);
    load.catch(() => {}); // reported below
    await until('orders without a response', () => haveUnknown(stage, options.inDoubt), 60_000);
    for (const [faults] of upstreams) faults.add({ kind: 'hang' });
    const outageFrom = performance.now();
    enough = true;
    const [network, exchange] = await load;
    await until('the end of the outage', () => performance.now() - outageFrom > options.outageMs || null, 300_000);
    for (const [faults] of upstreams) faults.clear();
    const outageMs = performance.now() - outageFrom;
    const { at, unknown } = await unknownNow(stage);
    await allSettled(stage, 2 * SETTLED_WITHIN_MS);
    return {
      outageMs,
      unknown: unknown.length,
      settledMs: await lastSettled(stage, at, unknown),
      orders: await auditOrders(stage, network),
      exchange: await auditExchange(stage, exchange),
    };
  } finally {
    await stage.close();
  }
}

const UNKNOWN = `sending_at is not null and state in ('running', 'in_doubt')`;

/** This many on each venue. */
async function haveUnknown({ rows }: Stage, count: number): Promise<true | null> {
  const venues = await rows<{ count: number }>(
    `select count(*)::integer from intents where ${UNKNOWN} group by kind like 'exchange/%'`,
  );
  return (venues.length === 2 && venues.every((venue) => venue.count >= count)) || null;
}

async function unknownNow({ rows }: Stage): Promise<{ at: string; unknown: string[] }> {
  const [now] = await rows<{ at: string; unknown: string[] }>(
    `select clock_timestamp()::text as at, coalesce(array_agg(id::text), '{}') as unknown from intents where ${UNKNOWN}`,
  );
  if (!now) throw new Error('An aggregate has a row');
  return now;
}

async function lastSettled({ rows }: Stage, at: string, ids: string[]): Promise<number> {
  const [last] = await rows<{ ms: number | null }>(
    `select extract(epoch from max(settled_at) - $1::timestamptz)::float8 * 1000 as ms from intents where id = any($2::uuid[])`,
    [at, ids],
  );
  return last?.ms ?? 0;
}

/** Whether every unknown outcome was settled in time and correctly. */
export function outageVerdict({ outageMs, unknown, settledMs, orders, exchange }: Outage): Verdict {
  const { forgotten, lost, doubled, denied, strange } = orders;
  return {
    promise: 'R5',
    text: `outcomes unknown after both venues did not respond for ${seconds(outageMs)}`,
    figure:
      `${unknown}, the last settled ${seconds(settledMs)} after they responded again; ` +
      `network ${JSON.stringify(orders)}, exchange ${JSON.stringify(exchange)}`,
    bound: 'settled in ≤ 120 s, never by guessing',
    kept:
      unknown > 0 &&
      settledMs <= SETTLED_WITHIN_MS &&
      forgotten + lost + doubled + denied + strange === 0 &&
      isFlawlessExchange(exchange),
  };
}
