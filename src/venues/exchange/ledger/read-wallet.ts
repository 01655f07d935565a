import { readWeights } from '../../../capacity/exchange.ts';
import { compare, nearest } from '../../../kernel/decimals.ts';
import { coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Fill } from '../adapter/types.ts';
import { chained, FINEST_LOT } from '../chain.ts';
import { nameExits } from './exits.ts';
import { listRecordedPositions, listWatchedOrders, type RecordedPosition, type WatchedOrder } from './queries.ts';
import { type LedgerDeps, readOrders } from './read-orders.ts';
import { type DueWallet, noteAbsent, recordFills, recordFoundPositions, recordStreamed } from './store.ts';

/** Reads begin so long before the newest recorded execution: those of its time may be split over two blocks. */
const OVERLAP_MS = 5_000;

/**
 * One reading of a wallet. Its orders and the sizes of its positions are read first, which is cheap; its executions only if one of
 * them has changed, or if they are due. They are read from the last one without a gap on, so every one is recorded once, also
 * those of other software and of a time without a process. Resolves to the weight that was spent.
 */
export async function readWallet(deps: LedgerDeps, due: DueWallet): Promise<number> {
  const { ex_wallet: wallet, is_full, is_new, read_to_ms } = due;
  const watched = await listWatchedOrders(deps.db, wallet);
  const orders = await readOrders(deps, wallet, watched);
  if (orders.absent.length > 0 || watched.some(({ absent_s }) => absent_s !== null))
    await noteAbsent(deps.db, wallet, orders.absent);
  const isDue = is_full || orders.hasChanged;
  const positions = isDue ? null : await comparePositions(deps, wallet, restingOn(watched));
  let weight = orders.weight + (positions?.weight ?? 0);
  if (positions && !positions.haveMoved) return weight;
  const fills = await deps.exvenue.fills(wallet, { fromMs: read_to_ms - OVERLAP_MS });
  weight += readWeights.usual;
  if (fills.kind !== 'found') return weight;
  weight += Math.floor(fills.data.length / ROWS_PER_WEIGHT);
  const found = is_new ? await findPositions(deps, wallet) : FOUND;
  weight += found.weight;
  const staysNew = !found.areRead && epochMs() - read_to_ms < FIND_FOR_MS;
  const record = staysNew ? recordStreamed : recordFills;
  const added = await record(deps.db, wallet, await nameExits(deps.db, wallet, inOrder(fills.data)), orders.ended);
  if (positions && added === 0) await recordFoundPositions(deps.db, wallet, positions.sizes);
  return weight;
}

/** See venues/exchange.md#rate-limits. */
const ROWS_PER_WEIGHT = 20;

/** Executions of each coin as their positions are chained. */
const inOrder = (fills: Fill[]): Fill[] => [...Map.groupBy(fills, ({ coin }) => coin).values()].flatMap(chained);

/** What accounts show of positions. `haveMoved`: another size than the recorded executions left. */
type Compared = { sizes: Record<string, string>; haveMoved: boolean; weight: number };

/** The dexes with resting orders. Only the position shows that a part of a resting order was filled: see venues/exchange.md#rows. */
const restingOn = (watched: readonly WatchedOrder[]): string[] =>
  watched.filter(({ is_resting }) => is_resting).map(({ terms }) => dexOf(coinOf(terms.pair)));

/** Compares the recorded positions with the accounts of their dexes and of `dexes`. An account that is older than the newest execution is ignored. */
async function comparePositions(
  { db, exvenue }: LedgerDeps,
  wallet: WalletAddress,
  dexes: readonly string[],
): Promise<Compared> {
  const recorded = Map.groupBy(await listRecordedPositions(db, wallet), ({ coin }) => dexOf(coin));
  const compared: Compared = { sizes: {}, haveMoved: false, weight: 0 };
  for (const dex of new Set([...recorded.keys(), ...dexes])) {
    const known = recorded.get(dex) ?? [];
    const account = await exvenue.account(wallet, dex);
    compared.weight += readWeights.light;
    if (account.kind !== 'found' || account.data.atMs < newestOf(known)) continue;
    const shown = Object.fromEntries(account.data.positions.map(({ coin, size }) => [coin, nearest(size, FINEST_LOT)]));
    const before = Object.fromEntries(known.map(({ coin, size }) => [coin, size]));
    for (const coin of Object.keys({ ...before, ...shown })) {
      compared.sizes[coin] = shown[coin] ?? '0';
      compared.haveMoved ||= compare(shown[coin] ?? '0', before[coin] ?? '0') !== 0;
    }
  }
  return compared;
}

const newestOf = (known: RecordedPosition[]): number => Math.max(...known.map(({ filled_ms }) => filled_ms ?? 0));

const FOUND = { areRead: true, weight: 0 };
/** For how long after the enrollment the first positions are tried to be read. */
const FIND_FOR_MS = 600_000;

/** Records the positions that were open before the first execution of the ledger, unless they cannot be read. */
async function findPositions({ db, exvenue }: LedgerDeps, wallet: WalletAddress): Promise<typeof FOUND> {
  const accounts = await exvenue.accounts(wallet);
  if (accounts.kind !== 'found') return { areRead: false, weight: readWeights.light };
  const open = accounts.data.flatMap(({ positions }) => positions.map(({ coin, size }) => [coin, size]));
  await recordFoundPositions(db, wallet, Object.fromEntries(open));
  return { areRead: true, weight: readWeights.light * accounts.data.length };
}
