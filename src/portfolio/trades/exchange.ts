import type { Asset, PerpAccount } from '../../adapters/exvenue/types.ts';
import { absolute, compare, dividedBy, isPositive, minus, times } from '../../kernel/decimals.ts';
import { isWorthPlacing, limitPrice, lotsWorth, wholeLots } from '../../kernel/grid.ts';
import { Refusal } from '../../kernel/refusals.ts';
import type { VenueReads } from '../reads.ts';
import { coinOf, dexOf } from '../rules.ts';
import { foundOrNull, must } from '../traders.ts';
import { accountFacts, nothingKnown } from './network.ts';
import type { TradeFacts } from './rules.ts';
import type { Trade } from './trade.ts';

const PLACES = 8;

/**
 * What a trade on the exchange is judged by: the asset's grid and leverage, the margin of the account, and, for a wallet the
 * network follows, how its funded account stands and whether the network mirrors the pair.
 */
export async function readExchangeFacts(reads: VenueReads, wallet: string, trade: Trade): Promise<TradeFacts> {
  const coin = coinOf(trade.pair);
  const [asset, dashboard] = await Promise.all([reads.exchangeAsset(coin), reads.walletDashboard(wallet)]);
  const followed = foundOrNull(dashboard);
  const common = { ...nothingKnown, ...(followed && accountFacts(followed)) };
  const listed = foundOrNull(asset);
  const pair = { asked: trade.pair, state: null, isOpenToAccount: true };
  if (listed?.kind !== 'perp') return { ...common, pair };
  if (listed.isDelisted) return { ...common, pair: { ...pair, state: 'disabled' } };
  const [mids, accounts] = await Promise.all([reads.mids(dexOf(coin)), reads.accounts(wallet)]);
  const mid = must(mids)[coin];
  if (mid === undefined) throw new Refusal('V1_NO_PRICE');
  return {
    ...common,
    pair: { ...pair, state: followed ? await mirroredState(reads, coin) : 'allowed' },
    ...tradeFacts(
      trade,
      listed,
      mid,
      must(accounts).find(({ dex }) => dex === listed.dex),
    ),
  };
}

/** How the network holds a coin of a wallet it follows: what it does not list it does not mirror. */
async function mirroredState(reads: VenueReads, coin: string): Promise<TradeFacts['pair']['state']> {
  return must(await reads.tradePairs()).find(({ exCoin }) => exCoin === coin)?.state ?? null;
}

function tradeFacts(trade: Trade, asset: Asset, mid: string, account: PerpAccount | undefined): Partial<TradeFacts> {
  const price =
    trade.price === null ? mid : limitPrice(asset.grid, trade.side === 'long' ? 'buy' : 'sell', trade.price);
  if (price === null)
    return {
      fault: { rule: 'price.tick', actual: String(trade.price), message: 'The price fits no step of this asset.' },
    };
  const size = trade.sizeInUsd ? lotsWorth(asset.grid, trade.size, price) : wholeLots(asset.grid, trade.size);
  if (size === null) {
    return {
      fault: { rule: 'size.lot', actual: trade.size, message: 'The size is below the smallest step of this asset.' },
    };
  }
  const held = account?.positions.find(({ coin }) => coin === asset.coin);
  const opens = times(newSize(held?.size ?? '0', trade.side, size), price);
  const leverage = trade.leverage ?? held?.leverage ?? asset.maxLeverage ?? 1;
  const most = String(asset.maxLeverage ?? 1);
  return {
    opens,
    minimum:
      isWorthPlacing(asset.grid, size, price) || !isPositive(opens)
        ? null
        : { actual: times(size, price), least: asset.grid.minimumValue, unit: 'USD' },
    leverage: trade.leverage === null ? null : { asked: String(trade.leverage), most },
    funds: { needed: dividedBy(opens, String(leverage), PLACES, 'up'), available: account?.withdrawable ?? '0' },
  };
}

/** How much of an order is new exposure: what is left once it has closed what is held on the other side. */
function newSize(held: string, side: Trade['side'], size: string): string {
  const isOpposite = isPositive(held) === (side === 'short') && held !== '0';
  if (!isOpposite) return size;
  return compare(size, absolute(held)) > 0 ? minus(size, absolute(held)) : '0';
}
