import type { Db } from '../../db/pool.ts';
import { listWallets } from '../../intents/recover.ts';
import { intentIdOf, legCloid } from '../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import type { Exvenue, OrderRecord } from '../../venues/exchange/adapter/types.ts';
import { datedSince, keepUnknown, type Report } from './orders.ts';

type Sources = { db: Db; exvenue: Exvenue } & Report;

/** The ids of the exits that an intent may have placed. */
const exitsOf = (id: string): string[] => (['tp', 'sl'] as const).map((leg) => intentIdOf(legCloid(id, leg)));

/**
 * Reads every enrolled wallet's orders at the exchange, and prints those since then that are not known here. Exits belong to their orders. Where the
 * history of a busy wallet does not go back so far, its executions and its open orders are read too, and a line says what is lacking.
 */
export async function recoverExchange({ db, exvenue, print, printUnread }: Sources, sinceMs: number): Promise<void> {
  for (const { wallet, placed } of await listWallets(db)) {
    const cloids = await readCloids({ exvenue, print }, wallet, datedSince(sinceMs));
    if (!cloids) printUnread(`orders of ${wallet}`);
    if (!cloids) continue;
    const ids = cloids.map(intentIdOf);
    const exits = new Set([...placed, ...ids].flatMap(exitsOf));
    await keepUnknown(
      { db, print },
      wallet,
      ids.filter((id) => !exits.has(id)),
    );
  }
}

/** The client order ids of a wallet's orders since then. Null if they cannot be read. */
async function readCloids(
  { exvenue, print }: Pick<Sources, 'exvenue' | 'print'>,
  wallet: WalletAddress,
  sinceMs: number,
): Promise<string[] | null> {
  const read = await exvenue.historicalOrders(wallet);
  if (read.kind === 'unreadable') return null;
  const records = read.kind === 'found' ? read.data : [];
  const listed = records.filter(({ order }) => order.placedMs >= sinceMs).map(({ order }) => order.cloid);
  const isWhole = reachesBack(records, sinceMs);
  const more = isWhole ? [] : await readMore(exvenue, wallet, sinceMs);
  if (!more) return null;
  if (!isWhole)
    print(`orders of ${wallet}  the newest are listed; of the others since then only those that were executed or rest`);
  return [...listed, ...more].filter((cloid) => cloid !== null);
}

/** See venues/exchange.md#rows. So many rows may not be all. */
const MANY_ROWS = 1_500;

/** Whether a history lists all orders since then. */
const reachesBack = (records: OrderRecord[], sinceMs: number): boolean =>
  records.length < MANY_ROWS || records.some(({ statusMs }) => statusMs < sinceMs);

/** The client order ids of all executions since then and of all open orders. Null if they cannot be read. */
async function readMore(exvenue: Exvenue, wallet: WalletAddress, sinceMs: number): Promise<(string | null)[] | null> {
  const [fills, dexes] = await Promise.all([
    exvenue.fills(wallet, { fromMs: sinceMs }),
    exvenue.dexesWithOrders(wallet),
  ]);
  if (fills.kind !== 'found' || dexes.kind !== 'found') return null;
  const open = await Promise.all(['', ...dexes.data].map((dex) => exvenue.openOrderNames(wallet, dex)));
  if (open.some(({ kind }) => kind === 'unreadable')) return null;
  return [...fills.data, ...open.flatMap((list) => (list.kind === 'found' ? list.data : []))].map(({ cloid }) => cloid);
}
