import type { Task } from '../../src/intents/task.ts';
import { forgetEvents, sweepWatches } from '../../src/trading/watch/outcomes.ts';

const STALE_LOOKS = 40; // past the slowest plan of looks by far: the chain is broken
const KEPT_MS = 86_400_000; // how long a stream can be resumed
const MOST = 1_000;
const MOST_FORGOTTEN = 50_000;

/** Mends chains of looks that have broken, and forgets events that nobody can resume behind any more. */
const sweep: Task<unknown> = async (_payload, { db, config, log }) => {
  const mended = await sweepWatches(db, STALE_LOOKS * config.TRADING_WATCH_MS, MOST);
  if (mended > 0) log.warn({ mended }, 'accounts are looked at again');
  await forgetEvents(db, KEPT_MS, MOST_FORGOTTEN);
};

export default sweep;
