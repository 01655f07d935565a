import { findPgbouncer } from '../support/pgbouncer.ts';
import { budgetVerdicts, tradeWithinBudget } from './scenes/budget.ts';
import { createUnderLoss, creationVerdict } from './scenes/creations.ts';
import { payUnderHarm } from './scenes/money.ts';
import { moneyVerdicts } from './scenes/money-audit.ts';
import { outageVerdict, settleAfterOutage } from './scenes/outage.ts';
import { poolerVerdicts, tradeThroughPooler } from './scenes/pooled.ts';
import { type Queue, queueAtMiner, queueVerdict } from './scenes/queued.ts';
import { rerunFinished, rerunVerdict } from './scenes/rerun.ts';
import { restoreUnderLoad, restoreVerdict } from './scenes/restore.ts';
import { failOverUnderLoad, failOverVerdict } from './scenes/standby.ts';
import { staleVerdict, stopAndResume } from './scenes/stopped.ts';
import { terminateUnderLoad, terminationVerdict } from './scenes/terminated.ts';
import { ledgerVerdicts, takeoverVerdict, tradeUnderHarm } from './scenes/trading.ts';
import { tradeWithEveryVerb, type VerbLoad, verbVerdict } from './scenes/verbs.ts';
import { openCrashable } from './server.ts';
import type { Verdict } from './verdicts.ts';

/** The numbers of a run. `orders` are those of both venues over all seeds. */
export type Size = {
  orders: number;
  seeds: number[];
  perSecond: number;
  harmEveryMs: number;
  kills: number;
  stoppedMs: number;
  creations: number;
  outageMs: number;
  finished: number;
  /** Orders executed before and after the primary is lost. */
  failOver: number;
  pooled: number;
  queued: Queue;
  /** Runs with every order verb at the network. */
  verbs: VerbLoad[];
  /** Orders at the exchange beside cancellations, and the burst of one wallet after them. */
  shortage: { orders: number; burst: number; perSecond: number };
  /** Traders who buy an account and are paid out. */
  traders: number;
  /**
   * Settings of scenes that measure how soon something is known: production values at full size, short ones in a small
   * run.
   */
  timing: Record<string, string>;
};

/** Timeouts sufficient for upstreams on the same machine. */
const QUICK = { NETVENUE_PATIENCE_MS: '1500', NETVENUE_IN_FLIGHT_MS: '4000' };
/** The service's own defaults at the exchange, where the tests' are shorter. */
const AT_EXCHANGE = {
  EXVENUE_PATIENCE_MS: '5000',
  EXVENUE_EXPIRES_MS: '10000',
  EXVENUE_CLOCK_MARGIN_MS: '5000',
  EXVENUE_READ_LAG_MS: '60000',
};
/** The service's own defaults. */
const PRODUCTION = {
  ...AT_EXCHANGE,
  NETVENUE_PATIENCE_MS: '10000',
  NETVENUE_IN_FLIGHT_MS: '105000',
  PROVISION_DEADLINE_MS: '120000',
};

export const sizes: Record<'full' | 'small', Size> = {
  full: {
    orders: 20_000,
    seeds: [1, 2, 3],
    perSecond: 60,
    harmEveryMs: 4_000,
    kills: 100,
    stoppedMs: 60_000,
    creations: 500,
    outageMs: 30_000,
    finished: 1_000,
    failOver: 1_000,
    pooled: 2_000,
    queued: {
      orders: 80,
      threads: 10,
      processingMs: [2_000, 40_000],
      workers: 4,
      kills: 2,
      settings: { ...PRODUCTION, ORDER_DEADLINE_MS: '300000' },
      settleWithinMs: 600_000,
    },
    verbs: (['2025', '2026'] as const).map((style, n) => ({
      seed: n + 1,
      style,
      crowd: { partners: 40, users: 10, tenants: 10 },
      everyMs: 500,
      threads: 10,
      quickMs: [100, 1_500],
      slowMs: [25_000, 40_000],
      slowShare: 0.15,
      processes: { workers: 4, harms: { sequence: ['kill', 'cut'], everyMs: 8_000 } },
      settings: { ...PRODUCTION, ORDER_DEADLINE_MS: '300000' },
      settleWithinMs: 900_000,
    })),
    shortage: { orders: 800, burst: 500, perSecond: 8 },
    traders: 640, // some lose their money first: 500 are paid out
    timing: PRODUCTION,
  },
  small: {
    orders: 240,
    seeds: [1],
    perSecond: 20,
    harmEveryMs: 1_500,
    kills: 3,
    stoppedMs: 0,
    creations: 60,
    outageMs: 4_000,
    finished: 60,
    failOver: 40,
    pooled: 60,
    queued: {
      orders: 24,
      threads: 5,
      processingMs: [50, 1_000],
      workers: 2,
      kills: 1,
      settings: { ...QUICK, ORDER_DEADLINE_MS: '60000' },
      settleWithinMs: 60_000,
    },
    verbs: [
      {
        seed: 1,
        style: '2026',
        crowd: { partners: 4, users: 1, tenants: 1 },
        everyMs: 20,
        threads: 10,
        quickMs: [10, 50],
        slowMs: [400, 700],
        slowShare: 0.15,
        settings: { NETVENUE_PATIENCE_MS: '250', NETVENUE_IN_FLIGHT_MS: '900', ORDER_DEADLINE_MS: '30000' },
        settleWithinMs: 60_000,
      },
    ],
    shortage: { orders: 130, burst: 40, perSecond: 16 },
    traders: 12,
    timing: QUICK,
  },
};

/** Runs one part of the promises and emits each verdict as soon as it is known. */
type Scene = (size: Size, report: (verdict: Verdict) => void) => Promise<void>;

/** Room for the load at the exchange; production's budget is the venue's own. */
const ROOMY = { EXVENUE_BUDGET_PER_MINUTE: '200000', THROTTLE_SCALE: '1000' };
// upstreams, load and service share the cores
const UNDER_HARM = { ...ROOMY, ORDER_DEADLINE_MS: '120000', NETVENUE_IN_FLIGHT_MS: '30000' };
const SETTLE_MS = 300_000;
const BEHIND_MS = 25_000; // venue facts: reads may be tens of seconds behind

/** Every scene by the promise it measures. */
export const scenes: Record<string, Scene> = {
  async R1(size, report) {
    for (const seed of size.seeds) {
      const each = Math.ceil(size.orders / size.seeds.length / 2);
      const traded = await tradeUnderHarm({
        seed,
        stage: {
          database: await openCrashable(),
          webs: 2,
          workers: 3,
          upstream: { processingMs: 100 },
          settings: { ...UNDER_HARM, ...AT_EXCHANGE },
        },
        network: { orders: each, perSecond: size.perSecond / 2, traders: 60 },
        exchange: { orders: each, perSecond: size.perSecond / 2, wallets: 60, readsBehindMs: BEHIND_MS },
        harms: { sequence: ['kill', 'cut', 'kill', 'cut', 'crash'], everyMs: size.harmEveryMs, atLeast: 5 },
        settleWithinMs: SETTLE_MS,
      });
      for (const verdict of ledgerVerdicts(traded)) report({ ...verdict, text: `${verdict.text}, seed ${seed}` });
    }
  },
  async R2(size, report) {
    const traded = await tradeUnderHarm({
      seed: size.seeds[0] ?? 1,
      stage: { webs: 1, workers: 3, upstream: { processingMs: 250 }, settings: UNDER_HARM },
      network: { orders: 0, perSecond: size.perSecond / 2, traders: 60 },
      harms: { sequence: ['kill'], everyMs: 1_200, atLeast: size.kills },
      settleWithinMs: SETTLE_MS,
    });
    for (const verdict of [takeoverVerdict(traded, size.kills), ...ledgerVerdicts(traded)]) report(verdict);
  },
  async R3(size, report) {
    report(staleVerdict(await stopAndResume(size.stoppedMs)));
  },
  async R4(_, report) {
    report(terminationVerdict(await terminateUnderLoad()));
  },
  async R5({ creations, outageMs, perSecond, seeds: [seed = 1], timing }, report) {
    report(creationVerdict(await createUnderLoss({ creations, seed, settings: timing })));
    const outage = {
      seed,
      perSecond: perSecond / 2,
      inDoubt: creations / 10,
      outageMs,
      settings: { ...timing, ...ROOMY },
    };
    report(outageVerdict(await settleAfterOutage(outage)));
  },
  async R10({ finished, perSecond }, report) {
    const rerun = await rerunFinished({ intents: finished, perSecond: perSecond / 2, settings: ROOMY });
    report(rerunVerdict(rerun, finished));
  },
  async RESTORE({ pooled, perSecond }, report) {
    const restored = await restoreUnderLoad({ orders: pooled, perSecond, settings: ROOMY });
    report(restoreVerdict(restored, pooled / 5));
  },
  async BUDGET({ shortage }, report) {
    for (const verdict of budgetVerdicts(await tradeWithinBudget(shortage))) report(verdict);
  },
  async R11({ failOver, perSecond, seeds: [seed = 1] }, report) {
    const counts = { ordersBefore: failOver, ordersAfter: failOver };
    report(
      failOverVerdict(await failOverUnderLoad({ seed, perSecond: perSecond / 2, ...counts, workers: 3, webs: 2 })),
    );
  },
  async QUEUED({ queued }, report) {
    report(queueVerdict(await queueAtMiner(queued), queued));
  },
  async VERBS({ verbs }, report) {
    for (const load of verbs) report(verbVerdict(await tradeWithEveryVerb(load), load));
  },
  async R12({ traders, harmEveryMs, seeds: [seed = 1] }, report) {
    const pace = { atOnce: 12, workers: 3, kills: traders, killEveryMs: harmEveryMs * 2, rejectedMs: 3_000 };
    const { audit, harms } = await payUnderHarm({ traders, seed, ...pace });
    for (const verdict of moneyVerdicts(audit, harms)) report(verdict);
  },
  async POOLER({ pooled, perSecond, harmEveryMs, seeds: [seed = 1] }, report) {
    const program = findPgbouncer();
    if (!program) throw new Error('There is no pgbouncer on this machine');
    const load = { orders: pooled / 2, perSecond: perSecond / 2 };
    const traded = await tradeThroughPooler(program, {
      seed,
      connections: 4,
      webs: 2,
      workers: 3,
      settings: UNDER_HARM,
      network: { ...load, traders: 60 },
      exchange: { ...load, wallets: 60 },
      harms: { sequence: ['cut', 'kill'], everyMs: harmEveryMs, atLeast: 3 },
      settleWithinMs: SETTLE_MS,
    });
    for (const verdict of poolerVerdicts(traded)) report(verdict);
  },
};
