import type { Db } from '../db/pool.ts';
import type { Intent } from './intent.ts';

export type Ending = 'succeeded' | 'failed' | 'expired';

/** An intent that ended by this process's hand. `seconds` is the time since it was accepted, by this process's clock. */
export type Ended = { id: string; kind: string; ending: Ending; seconds: number };

const watchers = new WeakMap<Db, (ended: Ended) => void>();

/** Calls `watch` once for each intent that is ended through this pool. */
export const watchEndings = (db: Db, watch: (ended: Ended) => void): void => void watchers.set(db, watch);

/** Passes on whether an intent was ended, and tells the pool's watcher where it was. Every statement that ends one goes through here. */
export async function telling(db: Db, intent: Accepted, ending: Ending, settled: Promise<boolean>): Promise<boolean> {
  const ok = await settled;
  if (ok) tellEnding(db, intent, ending);
  return ok;
}

type Accepted = Pick<Intent, 'id' | 'kind' | 'created_at'>;

/** Tells the pool's watcher that an intent has ended. */
export function tellEnding(db: Db, { id, kind, created_at }: Accepted, ending: Ending): void {
  watchers.get(db)?.({ id, kind, ending, seconds: Math.max(0, Date.now() - Date.parse(created_at)) / 1000 });
}
