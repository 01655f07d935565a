import type { Db } from '../../../db/pool.ts';
import { displayPair, legCloid } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Fill } from '../adapter/types.ts';
import type { Leg } from '../orders/rules.ts';
import { listExitSources, listExitsByOid } from './queries.ts';
import type { NamedFill } from './store.ts';

const LEGS: readonly Leg[] = ['tp', 'sl'];

/**
 * Names the exits of ours among executions: by the client order ids that follow from the newest orders and commands that placed them,
 * those of older orders by their numbers.
 */
export async function nameExits(db: Db, wallet: WalletAddress, fills: readonly Fill[]): Promise<NamedFill[]> {
  const named = Map.groupBy(fills, ({ coin, cloid }) => (cloid === null ? '' : displayPair(coin)));
  const legs = new Map<string | number, Leg>();
  for (const [pair, ofPair] of named) {
    if (pair === '') continue;
    for (const { id } of await listExitSources(db, wallet, pair))
      for (const leg of LEGS) legs.set(legCloid(id, leg), leg);
    const oids = new Set(ofPair.filter(({ cloid }) => !legs.has(String(cloid))).map(({ oid }) => oid));
    if (oids.size > 0)
      for (const { oid, leg } of await listExitsByOid(db, { wallet, pair, oids: [...oids] }))
        legs.set(Number(oid), leg);
  }
  return fills.map((fill) => ({ ...fill, leg: legs.get(fill.cloid ?? '') ?? legs.get(fill.oid) ?? null }));
}
