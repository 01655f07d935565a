/*
 * Everything that the callers of this service share, and how it is divided. What is not in this table has no limit of its own.
 * The code that counts takes its sizes from here, and so do the guide and the tests in which one caller uses up each of them.
 */

/** The settings that decide the sizes. */
export type CapacitySettings = {
  NETVENUE_MINER_THREADS: number;
  NETVENUE_EXIT_SLOTS?: number | undefined;
  NETVENUE_SIGNALS_PER_MIN: number;
  EXVENUE_BUDGET_PER_MINUTE?: number | undefined;
};

/**
 * A shared capacity. `each`: what has one of its own. `unit`: what is counted. `size`: how much there is. `kept`: how much of
 * it the classes of calls before this one keep for themselves. Classes in their order: exits (they reduce what a trader
 * risks: a cancel, a close, protection), entries, look-ups, reads.
 */
export type Budget = {
  each: string;
  unit: string;
  settings: readonly (keyof CapacitySettings)[];
  size(settings: CapacitySettings): number;
  kept: Partial<Record<CapacityClass, (settings: CapacitySettings) => number>>;
  /** How much of it a tenant that has used more than its share leaves to the others. */
  spared?: (settings: CapacitySettings) => number;
};

/** The classes of calls, the most urgent first. */
export type CapacityClass = 'exit' | 'look_up' | 'entry' | 'read';

/** See venues/exchange.md#rate-limits. */
const EXCHANGE_WEIGHT_PER_MINUTE = 1_200;
const WEIGHT_FOR_EXITS_PART = 0.055;
/** More than exits of a tenant beyond its share leave, by a read that an exit needs: else reads of anybody would come before them. */
const WEIGHT_BEFORE_READS_PART = 0.125;
const WEIGHT_FOR_OTHERS_PART = 0.05;
const LOOK_UP_PART = 0.1;
const EXIT_SIGNALS_PART = 0.3;
const EXIT_SLOTS = 2;
const COMPARISONS_PER_MINUTE = 240;
const EXCHANGE_COMPARISONS_PER_MINUTE = 30;

/** The miner's threads for look-ups: reads of a file, which take milliseconds. At least one. */
export const lookUpThreads = (threads: number): number => Math.max(1, Math.floor(threads * LOOK_UP_PART));

const requestThreads = ({ NETVENUE_MINER_THREADS: threads }: CapacitySettings) => threads - lookUpThreads(threads);
const exchangeWeight = ({ EXVENUE_BUDGET_PER_MINUTE }: Pick<CapacitySettings, 'EXVENUE_BUDGET_PER_MINUTE'>) =>
  EXVENUE_BUDGET_PER_MINUTE ?? EXCHANGE_WEIGHT_PER_MINUTE;

export const budgets = {
  /** The threads of an entity's miner. A request holds one until the miner responds. See venues/network.md#threads. */
  miner: {
    each: 'entity',
    unit: 'requests at once',
    settings: ['NETVENUE_MINER_THREADS', 'NETVENUE_EXIT_SLOTS'],
    size: (settings) => settings.NETVENUE_MINER_THREADS,
    kept: {
      look_up: (settings) => lookUpThreads(settings.NETVENUE_MINER_THREADS),
      exit: (settings) => settings.NETVENUE_EXIT_SLOTS ?? Math.min(EXIT_SLOTS, requestThreads(settings) - 1),
    },
  },
  /** What the validator takes of one trader, exits included. See venues/network-validator.md#signals. */
  signals: {
    each: 'synthetic hotkey',
    unit: 'signals a minute',
    settings: ['NETVENUE_SIGNALS_PER_MIN'],
    size: (settings) => settings.NETVENUE_SIGNALS_PER_MIN,
    kept: { exit: (settings) => Math.floor(settings.NETVENUE_SIGNALS_PER_MIN * EXIT_SIGNALS_PART) },
  },
  /** Comparisons of wanted exits with what the network holds: two reads of the validator each. */
  comparisons: {
    each: 'deployment',
    unit: 'traders a minute whose exits are compared',
    settings: [],
    size: () => COMPARISONS_PER_MINUTE,
    kept: {},
  },
  /** Comparisons of wanted exits with what the exchange holds: usually an account and two exits, a weight of 6. */
  exchange_comparisons: {
    each: 'deployment',
    unit: 'wallets a minute whose exits are compared',
    settings: [],
    size: () => EXCHANGE_COMPARISONS_PER_MINUTE,
    kept: {},
  },
  /** What the exchange takes of one address, whoever its traders are. See venues/exchange.md#rate-limits. */
  exchange: {
    each: 'deployment',
    unit: 'weight a minute',
    settings: ['EXVENUE_BUDGET_PER_MINUTE'],
    size: exchangeWeight,
    kept: {
      exit: (settings: Parameters<typeof exchangeWeight>[0]) => exchangeWeight(settings) * WEIGHT_FOR_EXITS_PART,
      entry: (settings: Parameters<typeof exchangeWeight>[0]) =>
        exchangeWeight(settings) * (WEIGHT_BEFORE_READS_PART - WEIGHT_FOR_EXITS_PART),
    },
    spared: (settings: Parameters<typeof exchangeWeight>[0]) => exchangeWeight(settings) * WEIGHT_FOR_OTHERS_PART,
  },
} as const satisfies Record<string, Budget>;

/** What remains of a budget for the calls that nothing is kept for. */
export function remaining({ size, kept }: Budget, settings: CapacitySettings): number {
  return size(settings) - Object.values(kept).reduce((sum, of) => sum + of(settings), 0);
}

/** What does not add up: budgets of which nothing remains, by the settings that decide them. */
export const budgetFaults = (settings: CapacitySettings): { setting: keyof CapacitySettings; message: string }[] =>
  Object.entries<Budget>(budgets).flatMap(([name, budget]) => {
    const left = remaining(budget, settings);
    const setting = budget.settings.at(-1);
    if (left >= 1 || !setting) return [];
    return [
      { setting, message: `the budget "${name}" (${budget.unit}) does not add up: ${left} would remain for entries` },
    ];
  });
