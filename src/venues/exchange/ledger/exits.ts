import type { Db } from '../../../db/pool.ts';
import { displayPair, legCloid } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Fill } from '../adapter/types.ts';
import type { Leg } from '../orders/rules.ts';
import { listExitSources } from './queries.ts';
import type { NamedFill } from './store.ts';

const LEGS: readonly Leg[] = ['tp', 'sl'];

/** Names the exits of ours among executions, by the client order ids that follow from the orders and commands that placed them. */
export async function nameExits(db: Db, wallet: WalletAddress, fills: readonly Fill[]): Promise<NamedFill[]> {
  const legs = new Map<string, Leg>();
  for (const pair of new Set(fills.flatMap(({ coin, cloid }) => (cloid === null ? [] : displayPair(coin)))))
    for (const { id } of await listExitSources(db, wallet, pair))
      for (const leg of LEGS) legs.set(legCloid(id, leg), leg);
  return fills.map((fill) => ({ ...fill, leg: (fill.cloid !== null && legs.get(fill.cloid)) || null }));
}
