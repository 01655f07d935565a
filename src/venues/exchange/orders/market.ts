import type { NotReady } from '../../../intents/define.ts';
import { isZero, nearest } from '../../../kernel/decimals.ts';
import { cloidOf, coinOf, dexOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { IntentId, OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Asset, Exvenue, Fill } from '../adapter/types.ts';
import { chained, positionAfter } from '../chain.ts';
import { findLastExecution, findProvenSize } from '../ledger/queries.ts';
import { doubtMsOf } from '../signing/sign.ts';
import { type ExchangeDeps, IN_DOUBT, UNREACHABLE } from './calls.ts';
import { CLOCK_SKEW_MS } from './evidence.ts';
import { laneOf } from './follow-up.ts';
import { listLastFilled } from './queries.ts';
import { findDoubt } from './under-way/queries.ts';

/** An asset and its mid price. */
export type Market = { asset: Asset; mid: string };

/**
 * The market of a pair. Fails with V1_PAIR_UNKNOWN for unknown and delisted pairs, with V1_NO_PRICE without a mid price.
 * For an order with a price of its own, `limitPrice` stands for the mid price, which then is not read.
 */
export async function readMarket(
  exvenue: Exvenue,
  pair: string,
  limitPrice: string | null = null,
): Promise<Market | NotReady> {
  const asset = await exvenue.asset(coinOf(pair));
  if (asset.kind === 'unreadable') return UNREACHABLE;
  if (asset.kind === 'absent' || asset.data.isDelisted || asset.data.kind !== 'perp')
    return { fail: { code: 'V1_PAIR_UNKNOWN' } };
  if (limitPrice !== null) return { asset: asset.data, mid: limitPrice };
  const mids = await exvenue.mids(asset.data.dex);
  if (mids.kind !== 'found') return UNREACHABLE;
  const mid = mids.data[asset.data.coin];
  return mid === undefined ? { fail: { code: 'V1_NO_PRICE' } } : { asset: asset.data, mid };
}

/** An order that was filled in part. `endedMs` (epoch ms): by when it had ended. */
type OpeningOrder = { id: IntentId; endedMs: number };

type PositionDeps = Pick<ExchangeDeps, 'db' | 'exvenue' | 'config'>;

/**
 * The signed size of a wallet's open position in a pair. Fails with V1_NO_POSITION if there is none. While an order that may have opened one
 * is in doubt, the intent waits; a caller's fails with V1_ORDER_IN_DOUBT if the doubt has lasted: others wait behind it. Reads come from
 * replicas that are behind independently, so what one of them proves counts for that one only: within the lag of fills of ours the position
 * follows from the executions that show all of them, and until they do the intent waits. Without such a fill the account counts, and executions
 * that contradict an empty one. Neither counts without the newest execution that the ledger has. `after`: an order that has opened the position
 * in part; the ledger counts if it has all of its executions, without a read. Else, as long as reads may be behind its end, they show it or the
 * intent waits.
 */
export async function readPosition(
  deps: PositionDeps,
  { owner, wallet }: { owner: OwnerId; wallet: WalletAddress },
  { coin, sizeDecimals }: Asset,
  after?: OpeningOrder,
): Promise<{ size: string } | NotReady> {
  const { db, exvenue } = deps;
  const lagMs = deps.config.EXVENUE_READ_LAG_MS;
  const lane = laneOf(wallet);
  const pair = displayPair(coin);
  const doubt = await findDoubt(db, { owner, wallet, lane, pair, recentMs: doubtMsOf(deps) }); // before the reads: it may end while they are made
  const filled = await listLastFilled(db, { wallet, lane, pair, lagMs });
  const openings = after && { wallet, coin, lane, pair, opened: after.id, filled: filled.map(({ id }) => id) };
  const proven = openings && (await findProvenSize(db, openings));
  if (proven) return proven;
  const recordedMs = await findLastExecution(db, wallet, coin);
  let fromMs = Math.min(epochMs() - lagMs, ...filled.map(({ accepted_ms }) => accepted_ms - CLOCK_SKEW_MS));
  if (filled.length === 0) {
    const account = await exvenue.account(wallet, dexOf(coin), URGENT);
    if (account.kind !== 'found') return UNREACHABLE;
    const { positions, atMs } = account.data;
    const position = positions.find((candidate) => candidate.coin === coin);
    if (atMs < recordedMs) fromMs = Math.min(fromMs, recordedMs);
    else if (position && !isZero(position.size)) return { size: position.size };
  }
  const fills = await exvenue.fills(wallet, { fromMs }, URGENT);
  if (fills.kind === 'unreadable') return UNREACHABLE;
  const ours = fills.kind === 'found' ? fills.data.filter((fill) => fill.coin === coin) : [];
  const shows = (id: IntentId) => ours.some(({ cloid }) => cloid === cloidOf(id));
  if (!filled.every(({ id }) => shows(id))) return UNREACHABLE;
  if (recordedMs >= fromMs && !ours.some(({ timeMs }) => timeMs >= recordedMs)) return UNREACHABLE;
  if (after && epochMs() < after.endedMs + lagMs && !shows(after.id)) return UNREACHABLE;
  const size = positionOf(ours, sizeDecimals);
  if (!isZero(size)) return { size };
  if (doubt === null) return { fail: { code: 'V1_NO_POSITION' } };
  return doubt === 'recent' || after ? IN_DOUBT : { fail: IN_DOUBT.wait };
}

/** The position after the last of the fills of a coin; 0 without fills. */
function positionOf(fills: Fill[], sizeDecimals: number): string {
  const last = chained(fills).at(-1);
  return last ? nearest(positionAfter(last), sizeDecimals) : '0';
}

/** The priority of what exits need. */
export const URGENT = { priority: 'exit' } as const;
