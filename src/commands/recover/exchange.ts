import type { Db } from '../../db/pool.ts';
import { listWallets } from '../../intents/recover.ts';
import { intentIdOf, legCloid } from '../../kernel/exchange-names.ts';
import type { Exvenue } from '../../venues/exchange/adapter/types.ts';
import { keepUnknown } from './orders.ts';

type Sources = { db: Db; exvenue: Exvenue; print(line: string): void };

/** The ids of the exits that an intent may have placed. */
const exitsOf = (id: string): string[] => (['tp', 'sl'] as const).map((leg) => intentIdOf(legCloid(id, leg)));

/** Reads every enrolled wallet's orders at the exchange, and prints those since then that are not known here. Exits belong to their orders. */
export async function recoverExchange({ db, exvenue, print }: Sources, sinceMs: number): Promise<void> {
  for (const { wallet, placed } of await listWallets(db)) {
    const read = await exvenue.historicalOrders(wallet);
    if (read.kind === 'unreadable') print(`orders of ${wallet}  could not be read: run this again`);
    if (read.kind !== 'found') continue;
    const since = read.data.filter(({ order }) => order.placedMs >= sinceMs);
    const ids = since.flatMap(({ order: { cloid } }) => (cloid === null ? [] : [intentIdOf(cloid)]));
    const exits = new Set([...placed, ...ids].flatMap(exitsOf));
    await keepUnknown(
      { db, print },
      wallet,
      ids.filter((id) => !exits.has(id)),
    );
  }
}
