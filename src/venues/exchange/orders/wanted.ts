import type { Db } from '../../../db/pool.ts';
import { legCloid } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { WantedEntry } from '../../exits.ts';
import { listWantedExits } from '../../queries.ts';
import { EXIT_NAMES, type Leg, legsOf } from './rules.ts';
import type { WantedExit } from './store.ts';

/** A wanted exit. The exchange knows it by the client order id that follows from its order and leg. */
export type WantedLeg = { entry: WantedEntry; leg: Leg; cloid: string; price: string };

/** The exits of wanted entries. */
export const wantedLegs = (entries: readonly WantedEntry[]): WantedLeg[] =>
  entries.flatMap((entry) =>
    legsOf(entry).map((leg) => ({
      entry,
      leg,
      cloid: legCloid(entry.order_uuid, leg),
      price: entry[EXIT_NAMES[leg]] ?? '0',
    })),
  );

/** Whether the position wants exits of this entry alone: no other order that is filled has exits there. */
export const isAlone = (
  entry: Pick<WantedEntry, 'order_uuid' | 'version'>,
  wanted: readonly WantedEntry[],
): boolean => {
  const [only, ...others] = wanted.filter(({ waits }) => !waits);
  return others.length === 0 && only?.order_uuid === entry.order_uuid && only.version === entry.version;
};

/** The wanted exits of a wallet among the given client order ids. */
export async function findWanted(db: Db, wallet: WalletAddress, cloids: ReadonlySet<string>): Promise<WantedExit[]> {
  if (cloids.size === 0) return [];
  return (await listWantedExits(db, 'exvenue', wallet)).flatMap(({ pair, wanted }) =>
    wantedLegs(wanted)
      .filter(({ cloid }) => cloids.has(cloid))
      .map(({ entry, leg }) => ({ pair, order_uuid: entry.order_uuid, leg: EXIT_NAMES[leg] })),
  );
}
