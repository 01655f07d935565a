import type { FloodLoad } from './scenes/flood.ts';
import type { GlitchLoad } from './scenes/glitch.ts';
import type { Failure } from './scenes/ha.ts';
import type { Queue } from './scenes/queued.ts';
import type { BehindLoad } from './scenes/replicas.ts';
import type { VerbLoad } from './scenes/verbs.ts';
import type { YearSize } from './scenes/year.ts';

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
  /** What happens to the primary of a cluster, in this order. */
  failures: Failure[];
  /** How long the disk is full. */
  fullMs: number;
  /** How long connections to the database are silent. */
  silentMs: number;
  /** How long a clock that jumps stays where it is. */
  stayMs: number;
  pooled: number;
  queued: Queue;
  /** Runs with every order verb at the network. */
  verbs: VerbLoad[];
  /** One tenant that uses up each budget, beside another. */
  flood: FloodLoad;
  /** Orders beside a miner that fails for a while. */
  glitch: GlitchLoad;
  /** Orders at the exchange beside cancellations, and the burst of one wallet after them. */
  shortage: { orders: number; burst: number; perSecond: number };
  /** Commands at an exchange whose replicas are behind. */
  behind: BehindLoad;
  /** A year's settled intents, beside an empty database. */
  year: YearSize;
  /** Traders who buy an account and are paid out. */
  traders: number;
  /** The rules of alerts with all durations divided by this. */
  alertScale: number;
  /**
   * Settings of scenes that measure how soon something is known: production values at full size, short ones in a small
   * run.
   */
  timing: Record<string, string>;
};

/** Timeouts sufficient for upstreams on the same machine. */
const QUICK = { NETVENUE_PATIENCE_MS: '1500', NETVENUE_IN_FLIGHT_MS: '4000' };
/** Room for the load at the exchange; production's budget is the venue's own. */
export const ROOMY = { EXVENUE_BUDGET_PER_MINUTE: '200000', THROTTLE_SCALE: '1000' };
/** The service's own defaults at the exchange, where the tests' are shorter. */
export const AT_EXCHANGE = {
  EXVENUE_PATIENCE_MS: '5000',
  EXVENUE_EXPIRES_MS: '10000',
  EXVENUE_CLOCK_MARGIN_MS: '5000',
  EXVENUE_READ_LAG_MS: '60000',
};
/** The service's own defaults. */
const PRODUCTION = {
  ...AT_EXCHANGE,
  NETVENUE_PATIENCE_MS: '12000',
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
    failures: Array<Failure[]>(5).fill(['kill', 'freeze', 'cut off', 'switch over']).flat(),
    fullMs: 60_000,
    silentMs: 30_000,
    stayMs: 30_000,
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
      lostShare: 0.05,
      pauseMs: 5_000,
      cooldownMs: 5_000,
      processes: { workers: 4, harms: { sequence: ['kill', 'cut'], everyMs: 8_000 } },
      settings: { ...PRODUCTION, ORDER_DEADLINE_MS: '300000' },
      settleWithinMs: 900_000,
    })),
    flood: { traders: 200, probes: 5, leadMs: 10_000 },
    glitch: {
      glitches: [
        { kind: 'reset', ms: 3_000 },
        { kind: 'reset', ms: 50_000 },
        { kind: 'hung', ms: 30_000 },
      ],
      perSecond: 10,
      buyers: 120,
      traders: 40,
      holders: 10,
      threads: 10,
      signalsPerMin: 10,
      processingMs: [100, 800],
      beforeMs: 10_000,
      afterMs: 20_000,
      settings: PRODUCTION,
      settleWithinMs: 300_000,
    },
    shortage: { orders: 800, burst: 500, perSecond: 8 },
    behind: {
      ...{
        seed: 1,
        orders: 1_600,
        closes: 200,
        brackets: 100,
        resting: 1_000,
        perSecond: 8,
        behindMs: 25_000,
        endAfterMs: 3_000,
        withinMs: 5_000,
      },
      settings: {
        ...{ ...ROOMY, ...AT_EXCHANGE, EXVENUE_READ_LAG_MS: '30000' },
        ...{ EXVENUE_STREAM: 'true', ORDER_DEADLINE_MS: '120000' },
      },
    },
    year: { intents: 3_000_000, orders: 600, restMs: 65_000, pruneMs: 60_000, most: { ratio: 1.2, ms: 200 } },
    alertScale: 1,
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
    failures: ['switch over', 'cut off', 'kill', 'freeze'],
    fullMs: 10_000,
    silentMs: 10_000,
    stayMs: 8_000,
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
        lostShare: 0.05,
        pauseMs: 50,
        cooldownMs: 1_000,
        settings: { NETVENUE_PATIENCE_MS: '250', NETVENUE_IN_FLIGHT_MS: '900', ORDER_DEADLINE_MS: '30000' },
        settleWithinMs: 60_000,
      },
    ],
    flood: { traders: 60, probes: 3, leadMs: 5_000 },
    glitch: {
      glitches: [{ kind: 'reset', ms: 3_000 }],
      perSecond: 4,
      buyers: 60,
      traders: 4,
      holders: 3,
      threads: 10,
      signalsPerMin: 10,
      processingMs: [10, 50],
      beforeMs: 1_500,
      afterMs: 8_000,
      settings: { NETVENUE_PATIENCE_MS: '1500', NETVENUE_IN_FLIGHT_MS: '10000', ORDER_DEADLINE_MS: '15000' },
      settleWithinMs: 60_000,
    },
    shortage: { orders: 130, burst: 40, perSecond: 16 },
    behind: {
      ...{ seed: 1, orders: 60, closes: 10, brackets: 5, resting: 10, perSecond: 6 },
      ...{ behindMs: 1_000, endAfterMs: 3_000, withinMs: 15_000 }, // other tests share the cores
      settings: { ...ROOMY, EXVENUE_STREAM: 'true', EXVENUE_READ_LAG_MS: '2000', ORDER_DEADLINE_MS: '60000' },
    },
    year: { intents: 20_000, orders: 100, restMs: 0, pruneMs: 20_000, most: { ratio: 3, ms: 2_000 } },
    alertScale: 5,
    traders: 12,
    timing: QUICK,
  },
};
