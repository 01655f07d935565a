import type { Asset, Exvenue, PerpPosition } from '../../adapters/exvenue/types.ts';
import type { Problem } from '../../intents/intent.ts';
import { isZero } from '../../kernel/decimals.ts';
import { dexOf } from './facts.ts';
import { coinOf } from './rules.ts';

type NotReady = { problem: Problem } | { notYet: Problem };

const away: NotReady = { notYet: { code: 'VENUE_UNREACHABLE' } };

/** The asset of a pair and its mid price. Refuses pairs the exchange does not know or has delisted. */
export async function readMarket(exvenue: Exvenue, pair: string): Promise<{ asset: Asset; mid: string } | NotReady> {
  const asset = await exvenue.asset(coinOf(pair));
  if (asset.kind === 'unreadable') return away;
  if (asset.kind === 'absent' || asset.said.isDelisted || asset.said.kind !== 'perp')
    return { problem: { code: 'V1_PAIR_UNKNOWN' } };
  const mids = await exvenue.mids(asset.said.dex);
  if (mids.kind !== 'found') return away;
  const mid = mids.said[asset.said.coin];
  return mid === undefined ? { problem: { code: 'V1_NO_PRICE' } } : { asset: asset.said, mid };
}

/** The open position of a wallet in a coin. Refuses where there is none. */
export async function readPosition(exvenue: Exvenue, wallet: string, coin: string): Promise<PerpPosition | NotReady> {
  const account = await exvenue.account(wallet, dexOf(coin));
  if (account.kind === 'unreadable') return away;
  const position = account.kind === 'found' && account.said.positions.find((candidate) => candidate.coin === coin);
  return position && !isZero(position.size) ? position : { problem: { code: 'V1_NO_POSITION' } };
}
