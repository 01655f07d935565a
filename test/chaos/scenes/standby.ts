import { until } from '../../support/processes.ts';
import { openReplicated } from '../../support/replicated.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { scriptFaults } from '../faults.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';

const BACK_WITHIN_MS = 30_000;

type Options = {
  seed: number;
  perSecond: number;
  ordersBefore: number;
  ordersAfter: number;
  workers: number;
  webs: number;
};

/** The result of the orders when the primary was lost. */
export type FailedOver = {
  version: string;
  /** From the promotion to the first order accepted and executed after it. */
  backMs: number;
  /** Orders that the service had acknowledged, on both venues. */
  taken: number;
  orders: Audit;
  exchange: ExchangeAudit;
};

/**
 * Orders are sent to both venues, the primary is lost permanently, its synchronous standby is promoted, and orders
 * continue.
 */
export async function failOverUnderLoad(options: Options): Promise<FailedOver> {
  const database = await openReplicated();
  const stage = await openStage({
    database,
    workers: options.workers,
    webs: options.webs,
    settings: { ORDER_DEADLINE_MS: '120000', NETVENUE_IN_FLIGHT_MS: '5000', EXVENUE_BUDGET_PER_MINUTE: '48000' },
  });
  scriptFaults(stage.upstream.faults, '/miner/api/submit-order', options.seed);
  scriptFaults(stage.exchange.faults, 'POST /exchange', options.seed + 1);
  try {
    let enough = false;
    const pace = { perSecond: options.perSecond, goOn: () => !enough };
    const load = Promise.all([loadNetwork(stage, 30, pace), loadExchange(stage, 20, pace)]);
    load.catch(() => {}); // reported below, once there is something to compare
    await until('orders flowing', () => countExecuted(stage, '-infinity', options.ordersBefore), 120_000);
    const promotedAt = await database.failOver();
    await until('orders flowing again', () => countExecuted(stage, promotedAt, options.ordersAfter), 120_000);
    enough = true;
    const [network, exchange] = await load;
    await allSettled(stage, 120_000);
    return {
      version: database.version,
      backMs: await backAfter(stage, promotedAt),
      taken: network.length + exchange.length,
      orders: await auditOrders(stage, network),
      exchange: await auditExchange(stage, exchange),
    };
  } finally {
    await stage.close();
  }
}

async function countExecuted({ rows }: Stage, since: string, count: number): Promise<true | null> {
  const done = await rows(`select from intents where state = 'succeeded' and created_at > $1 limit $2`, [since, count]);
  return done.length === count || null;
}

async function backAfter({ rows }: Stage, promotedAt: string): Promise<number> {
  const [row] = await rows<{ ms: number }>(
    `select extract(epoch from min(settled_at) - $1::timestamptz)::float8 * 1000 as ms
     from intents
     where state = 'succeeded' and created_at > $1::timestamptz`,
    [promotedAt],
  );
  return row?.ms ?? Number.POSITIVE_INFINITY;
}

/** Whether anything accepted was lost, anything executed twice, and how long the recovery took. */
export function failOverVerdict({ version, backMs, taken, orders, exchange }: FailedOver): Verdict {
  const { forgotten, lost, doubled, denied, strange } = orders;
  return {
    promise: 'R11',
    text: `primary lost permanently, synchronous standby promoted (PostgreSQL ${version})`,
    figure:
      `back ${seconds(backMs)} after the promotion; of ${taken} accepted ${forgotten + exchange.forgotten} lost; ` +
      `network ${JSON.stringify(orders)}, exchange ${JSON.stringify(exchange)}`,
    bound: 'back in ≤ 30 s, 0 accepted lost, 0 doubled',
    kept:
      backMs <= BACK_WITHIN_MS && forgotten + lost + doubled + denied + strange === 0 && isFlawlessExchange(exchange),
  };
}
