import { type Audit, auditOrders, quantile } from '../audit.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { scriptFaults } from '../faults.ts';
import { type Harm, type Harms, harm } from '../harms.ts';
import { underWay } from '../load.ts';
import { allSettled, openStage, type StageOptions } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';

type Load = { orders: number; perSecond: number };

/** What a run is made of. */
export type Trading = {
  seed: number;
  stage: StageOptions;
  /** Orders on the network, of so many traders; on the exchange, of so many wallets. */
  network?: Load & { traders: number };
  exchange?: Load & { wallets: number };
  /** What is done to the service meanwhile, in turn; the load goes on until so much has been done. */
  harms: { sequence: readonly Harm[]; everyMs: number; atLeast?: number };
  settleWithinMs: number;
};

/** What a run of orders under harm came to. */
export type Traded = {
  orders?: Audit;
  exchange?: ExchangeAudit;
  harms: Harms;
  asked: { network: number; exchange: number };
  loadMs: number;
  settleMs: number;
};

/** Orders at both venues, whose answers are lost, late or missing, while the service is harmed; then the ledgers are read. */
export async function tradeUnderHarm({ seed, network, exchange, harms: plan, ...options }: Trading): Promise<Traded> {
  const stage = await openStage(options.stage);
  scriptFaults(stage.party.faults, '/miner/api/submit-order', seed);
  scriptFaults(stage.exchange.faults, 'POST /exchange', seed + 1);
  try {
    let harmed = 0;
    const goOn = ({ orders }: Load) => ({ goOn: (count: number) => count < orders || harmed < (plan.atLeast ?? 0) });
    const startedAt = performance.now();
    const load = Promise.all([
      network ? loadNetwork(stage, network.traders, { ...network, ...goOn(network) }) : [],
      exchange ? loadExchange(stage, exchange.wallets, { ...exchange, ...goOn(exchange) }) : [],
    ]);
    const loading = underWay(load);
    const harming = harm(stage, {
      ...plan,
      goOn(count) {
        harmed = count;
        return loading();
      },
    });
    const [networkTaken, exchangeTaken] = await load;
    const loadedAt = performance.now();
    const harms = await harming;
    await allSettled(stage, options.settleWithinMs);
    return {
      ...(network && { orders: await auditOrders(stage, networkTaken) }),
      ...(exchange && { exchange: await auditExchange(stage, exchangeTaken) }),
      harms,
      asked: { network: networkTaken.length, exchange: exchangeTaken.length },
      loadMs: loadedAt - startedAt,
      settleMs: performance.now() - loadedAt,
    };
  } finally {
    await stage.close();
  }
}

/** What the ledgers say of a run: nothing lost, nothing doubled, on each venue that had orders. */
export function ledgerVerdicts({ orders, exchange, harms, asked, loadMs, settleMs }: Traded): Verdict[] {
  const course = `in ${seconds(loadMs)}, settled ${seconds(settleMs)} later; ${harms.kill} kills, ${harms.cut} cuts, ${harms.crash} crashes`;
  const lines: Verdict[] = [];
  const say = (venue: string, audit: object, kept: boolean) =>
    lines.push({
      promise: 'R1',
      text: `orders on the ${venue}`,
      figure: `${JSON.stringify(audit)} ${course}`,
      bound: '0 lost, 0 doubled',
      kept,
    });
  if (orders) say('network', orders, isFlawless(orders) && orders.orders === asked.network);
  if (exchange) say('exchange', exchange, isFlawlessExchange(exchange));
  return lines;
}

const isFlawless = ({ forgotten, lost, doubled, denied, strange }: Audit) =>
  forgotten + lost + doubled + denied + strange === 0;

const WITHIN_MS = 15_000;

/** How soon the work of killed workers went on. */
export function takeoverVerdict({ harms: { kill, msOfJobs } }: Traded, kills: number): Verdict {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => Math.round(quantile(msOfJobs, share))) as [
    number,
    number,
    number,
  ];
  return {
    promise: 'R2',
    text: 'from the kill of a worker to the next claim of its jobs',
    figure: `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms over ${kill} kills and ${msOfJobs.length} jobs`,
    bound: `p99 ≤ ${WITHIN_MS} ms over ${kills} kills`,
    kept: kill >= kills && msOfJobs.length > 0 && p99 <= WITHIN_MS,
  };
}
