import type { Db } from '../../db/pool.ts';
import { keepLostOrders } from '../../intents/recover.ts';
import { type Hotkey, isUuid, type WalletAddress } from '../../kernel/ids.ts';

const CLOCK_SKEW_MS = 60_000;

/** From when on a venue may date what was done since then, in epoch ms: its clock may be behind the database's. */
export const datedSince = (sinceMs: number): number => sinceMs - CLOCK_SKEW_MS;

/** What a person reads of a recovery. `printUnread`: what could not be read now, so that it has to be run again. */
export type Report = { print(line: string): void; printUnread(what: string): void };

/** Keeps the ids of a trader's orders at a venue that no intent here has, and prints them. Ids that are no UUID are other software's. */
export async function keepUnknown(
  { db, print }: { db: Db; print(line: string): void },
  trader: Hotkey | WalletAddress,
  ids: string[],
): Promise<void> {
  for (const id of await keepLostOrders(db, ids.filter(isUuid))) print(`order  ${id} of ${trader}: not known here`);
}
