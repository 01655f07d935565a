import type { Db } from '../../../db/pool.ts';
import { cloidOf, displayPair, intentIdOf, legCloid } from '../../../kernel/exchange-names.ts';
import { isUuid, type WalletAddress } from '../../../kernel/ids.ts';
import type { Fill } from '../adapter/types.ts';
import { laneOf } from '../orders/follow-up.ts';
import type { Leg } from '../orders/rules.ts';
import { listExitSources, listExitsByOid, listIntentsAmong } from './queries.ts';
import type { Exit, NamedFill } from './store.ts';

const LEGS: readonly Leg[] = ['tp', 'sl'];

/**
 * Finds our exits among executions: by the client order ids that follow from the newest orders and commands that placed them, those of older orders
 * by their numbers. Executions of our orders themselves are left out first, because numbers are compared with every order of the wallet in the pair.
 */
export async function nameExits(db: Db, wallet: WalletAddress, fills: readonly Fill[]): Promise<NamedFill[]> {
  const named = Map.groupBy(fills, ({ coin, cloid }) => (cloid === null ? '' : displayPair(coin)));
  const exits = new Map<string | number, Exit>();
  for (const [pair, ofPair] of named) {
    if (pair === '') continue;
    for (const { id } of await listExitSources(db, { wallet, lane: laneOf(wallet), pair }))
      for (const leg of LEGS) exits.set(legCloid(id, leg), { leg, of: id });
    const others = ofPair.filter(({ cloid }) => !exits.has(String(cloid)));
    const ours = await listIntentsAmong(
      db,
      [...new Set(others.map(({ cloid }) => intentIdOf(String(cloid))))].filter(isUuid),
    );
    const known = new Set(ours.map(({ id }) => cloidOf(id)));
    const oids = new Set(others.filter(({ cloid }) => !known.has(String(cloid))).map(({ oid }) => oid));
    if (oids.size > 0)
      for (const { oid, ...exit } of await listExitsByOid(db, { wallet, pair, oids: [...oids] }))
        exits.set(Number(oid), exit);
  }
  return fills.map((fill) => ({ ...fill, exit: exits.get(fill.cloid ?? '') ?? exits.get(fill.oid) ?? null }));
}
