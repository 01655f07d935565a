import { until } from '../../support/processes.ts';
import { type Audit, auditOrders, quantile } from '../audit.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { scriptFaults } from '../faults.ts';
import { type Harm, type Harms, harm } from '../harms.ts';
import { underWay } from '../load.ts';
import { allSettled, openStage, type Stage, type StageOptions } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { auditClients, loadThroughClient } from './client-load.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';

/** The exchange's reads come from so many replicas, which are behind independently. */
export const REPLICAS = 5;

type Load = { orders: number; perSecond: number };

/** The parts of a run. */
export type Trading = {
  seed: number;
  stage: StageOptions;
  /**
   * Orders on the network and number of traders; orders on the exchange, number of wallets, and how far the exchange's
   * reads may be behind its executions.
   */
  network?: Load & { traders: number };
  exchange?: Load & { wallets: number; readsBehindMs?: number };
  /** Orders on the network through the TypeScript client, over a network of its own that loses messages. */
  clients?: Load & { traders: number };
  /** The harms meanwhile, in turn; the load continues until enough have been done. */
  harms: { sequence: readonly Harm[]; everyMs: number; atLeast?: number };
  settleWithinMs: number;
};

/** The result of a run of orders under harm. */
export type Traded = {
  orders?: Audit;
  exchange?: ExchangeAudit;
  /** Orders through the client, and how many callers were misled. */
  clients?: { orders: number; ends: Record<string, number>; misled: number };
  harms: Harms;
  requested: { network: number; exchange: number };
  loadMs: number;
  settleMs: number;
};

/**
 * Orders at both venues, whose responses are lost, late or missing, while the service is harmed; then the ledgers are
 * read.
 */
export async function tradeUnderHarm({
  seed,
  network,
  exchange,
  clients,
  harms: plan,
  ...options
}: Trading): Promise<Traded> {
  const stage = await openStage(options.stage);
  scriptFaults(stage.upstream.faults, '/miner/api/submit-order', seed);
  scriptFaults(stage.exchange.faults, 'POST /exchange', seed + 1);
  stage.exchange.setBehind(exchange?.readsBehindMs ?? 0, REPLICAS);
  try {
    let harmed = 0;
    let isHarming = true;
    const isHarmed = () => !isHarming || harmed >= (plan.atLeast ?? 0);
    const goOn = ({ orders }: Load) => ({ goOn: (count: number) => count < orders || !isHarmed() });
    const startedAt = performance.now();
    const load = Promise.all([
      network ? loadNetwork(stage, network.traders, { ...network, ...goOn(network) }) : [],
      exchange ? loadExchange(stage, exchange.wallets, { ...exchange, ...goOn(exchange) }) : [],
      clients ? loadThroughClient(stage, { ...clients, seed }, { ...clients, ...goOn(clients) }) : [],
    ]);
    const loading = underWay(load);
    const harming = harm(stage, {
      ...plan,
      goOn(count) {
        harmed = count;
        return loading();
      },
    });
    harming.catch(() => {
      isHarming = false; // the load ends
    });
    const loaded = load.then((taken) => ({ taken, loadedAt: performance.now() }));
    // What fails first is reported: a process that could not be started again is why orders are refused later.
    const [{ taken, loadedAt }, harms] = await Promise.all([loaded, harming]);
    const [byHand, exchangeTaken, ends] = taken;
    const networkTaken = [...byHand, ...ends.map(({ id }) => id)];
    await allSettled(stage, options.settleWithinMs);
    if (exchange) await checkExits(stage, options.settleWithinMs);
    return {
      ...((network || clients) && { orders: await auditOrders(stage, networkTaken) }),
      ...(exchange && { exchange: await auditExchange(stage, exchangeTaken) }),
      ...(clients && { clients: auditClients(ends, stage.upstream.ledger.entries()) }),
      harms,
      requested: { network: networkTaken.length, exchange: exchangeTaken.length },
      loadMs: loadedAt - startedAt,
      settleMs: performance.now() - loadedAt,
    };
  } finally {
    await stage.close();
  }
}

/** Lets the watch read every wallet that it follows once more, once reads show everything: exits that wait are settled then. */
export async function checkExits(stage: Stage, settleWithinMs: number): Promise<void> {
  stage.exchange.setBehind(0);
  const [clock] = await stage.rows<{ since: string }>('select clock_timestamp()::text as since');
  await stage.rows(`update exchange_cursors set due_at = now() where due_at < 'infinity'`);
  await stage.rows('select plan_exit_watch(0)');
  await until(
    'the watch of exits',
    async () => {
      // The next reading is always queued; one that is under way or has failed was attempted.
      const left = await stage.rows(`
        select from exchange_cursors where due_at < 'infinity' and read_at < '${clock?.since}'
        union all
        select from queue_jobs where task = 'exchange/watch' and attempts > 0`);
      return left.length === 0 || null;
    },
    settleWithinMs,
  );
  await allSettled(stage, settleWithinMs);
}

/** The verdicts of the ledgers on a run: nothing lost, nothing duplicated, on each venue that had orders. */
export function ledgerVerdicts({ orders, exchange, clients, harms, requested, loadMs, settleMs }: Traded): Verdict[] {
  const course = `in ${seconds(loadMs)}, settled ${seconds(settleMs)} later; ${harms.kill} kills, ${harms.web} of web, ${harms.cut} cuts, ${harms.crash} crashes`;
  const lines: Verdict[] = [];
  const verdictOf = (which: string, audit: object, kept: boolean) =>
    lines.push({
      promise: 'R1',
      text: `orders ${which}`,
      figure: `${JSON.stringify(audit)} ${course}`,
      bound: '0 lost, 0 doubled',
      kept,
    });
  if (orders) verdictOf('on the network', orders, isFlawless(orders) && isComplete(orders, requested.network));
  if (exchange) verdictOf('on the exchange', exchange, isFlawlessExchange(exchange));
  if (clients) verdictOf('through the client', clients, clients.misled === 0);
  return lines;
}

const isFlawless = ({ forgotten, lost, doubled, denied, strange }: Audit) =>
  forgotten + lost + doubled + denied + strange === 0;

/** Every request has an intent. One more is the new attempt under a key whose earlier intent ended without effect. */
const isComplete = ({ orders, states: { failed = 0, expired = 0 } }: Audit, requested: number) =>
  orders >= requested && orders - requested <= failed + expired;

const WITHIN_MS = 15_000;

/** How soon the work of killed workers continued. */
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
