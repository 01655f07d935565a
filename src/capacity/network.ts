import type { Hotkey } from '../kernel/ids.ts';
import type { Bucket } from '../kernel/shared-upstream.ts';
import { budgets, type CapacitySettings, remaining } from './budgets.ts';

/** A limit per minute of an upstream, counted over all processes. `forExits` of it are only for requests that reduce what a trader risks. */
export type Pace = { name: string; perMinute: number; forExits: number };

/**
 * One of the `slots` of an upstream that works on that many requests at once. Processes share them. `forExits` of them
 * are only for requests with `isExit`, which also come first in the line. `pace`: what the upstream also limits in any
 * minute.
 */
export type SlotAt = { upstream: string; slots: number; forExits: number; isExit: boolean; pace?: Pace };

const { miner, signals, comparisons } = budgets;

/**
 * The slot of its entity's miner that a request needs. The other threads are for look-ups, which would otherwise wait behind
 * the requests that they are about.
 */
export const minerSlot = (entityHotkey: Hotkey, settings: CapacitySettings, isExit: boolean): SlotAt => ({
  upstream: `miner:${entityHotkey}`,
  slots: miner.size(settings) - miner.kept.look_up(settings),
  forExits: miner.kept.exit(settings),
  isExit,
});

/** How many requests of entries a miner works on at once. */
export const entrySlots = (settings: CapacitySettings): number => remaining(miner, settings);

/** The pace of the signals of a trader. */
export const paceOf = (trader: Hotkey, settings: CapacitySettings): Pace => ({
  name: `signals:${trader}`,
  perMinute: signals.size(settings),
  forExits: signals.kept.exit(settings),
});

/** How many reads of the validator a web process has outstanding. More would wait there in order of arrival, ahead of reads for orders. */
export const READS_AT_ONCE = 20;

/** The pace at which wanted exits are compared with what the network holds: ten seconds' worth at once. */
export const comparisonPace: Bucket = { burst: comparisons.size() / 6, perSecond: comparisons.size() / 60 };
