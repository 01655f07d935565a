import type { Db } from '../../../db/pool.ts';
import type { NotReady } from '../../../intents/define.ts';
import { isZero } from '../../../kernel/decimals.ts';
import { cloidOf, coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { CallLimits } from '../adapter/action-types.ts';
import type { Asset, Exvenue, PerpPosition } from '../adapter/types.ts';
import { UNREACHABLE } from './calls.ts';
import { findLastFilled } from './queries.ts';

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
  limits: CallLimits = {},
): Promise<Market | NotReady> {
  const asset = await exvenue.asset(coinOf(pair));
  if (asset.kind === 'unreadable') return UNREACHABLE;
  if (asset.kind === 'absent' || asset.data.isDelisted || asset.data.kind !== 'perp')
    return { fail: { code: 'V1_PAIR_UNKNOWN' } };
  if (limitPrice !== null) return { asset: asset.data, mid: limitPrice };
  const mids = await exvenue.mids(asset.data.dex, limits);
  if (mids.kind !== 'found') return UNREACHABLE;
  const mid = mids.data[asset.data.coin];
  return mid === undefined ? { fail: { code: 'V1_NO_PRICE' } } : { asset: asset.data, mid };
}

/**
 * The open position of a wallet in a pair. Fails with V1_NO_POSITION if there is none; waits until reads show the last
 * filled order of this wallet: before that, the size they show is outdated.
 */
export async function readPosition(
  { db, exvenue, config }: { db: Db; exvenue: Exvenue; config: { EXVENUE_READ_LAG_MS: number } },
  wallet: WalletAddress,
  pair: string,
): Promise<PerpPosition | NotReady> {
  const coin = coinOf(pair);
  const filled = await findLastFilled(db, { wallet, pair, lagMs: config.EXVENUE_READ_LAG_MS });
  if (filled !== null && (await exvenue.orderStatus(wallet, cloidOf(filled), URGENT)).kind !== 'found')
    return UNREACHABLE;
  const account = await exvenue.account(wallet, dexOf(coin), URGENT);
  if (account.kind === 'unreadable') return UNREACHABLE;
  const position = account.kind === 'found' && account.data.positions.find((candidate) => candidate.coin === coin);
  return position && !isZero(position.size) ? position : { fail: { code: 'V1_NO_POSITION' } };
}

/** Of exits. */
export const URGENT = { priority: 'exit' } as const;
