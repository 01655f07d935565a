import { absolute, compare, dividedBy, isPositive, minus, times } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { coinOf, dexOf, isSpotName } from '../../../kernel/exchange-names.ts';
import { DEFAULT_SLIPPAGE } from '../../../kernel/grid.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { foundOrNull, requireFound, requireValue } from '../../found.ts';
import type { LinkedAccount, Links } from '../../links.ts';
import type { VenueReads } from '../../reads.ts';
import { neutralFacts, type Trade, type TradeFacts } from '../../trade.ts';
import type { Asset, PerpAccount } from '../adapter/types.ts';
import { sizeOrder } from '../sizing.ts';

const PLACES = 8;

type FactsDeps = { reads: VenueReads; links: Links; linked: LinkedAccount };

/**
 * The facts to validate a trade on the exchange: the asset's grid and maximum leverage, and the margin of
 * the account with its leverage in the asset. For a
 * wallet that the owner registered at the network, also the status of its funded account and whether the network mirrors the pair.
 * Throws V1_NO_PRICE without a mid price, and VENUE_UNREADABLE.
 */
export async function readExchangeFacts(
  { reads, links, linked }: FactsDeps,
  wallet: WalletAddress,
  trade: Trade,
): Promise<TradeFacts> {
  const coin = coinOf(trade.pair);
  const [asset, followed] = await Promise.all([reads.exchangeAsset(coin), linked.facts()]);
  const common = { ...neutralFacts, ...followed };
  const listed = isSpotName(trade.pair) ? null : foundOrNull(asset);
  const pair = { asked: trade.pair, state: null, isOpenToAccount: true };
  if (listed?.kind !== 'perp') return { ...common, pair };
  if (listed.isDelisted) return { ...common, pair: { ...pair, state: 'disabled' } };
  const [mids, accounts] = await Promise.all([reads.mids(dexOf(coin)), reads.accounts(wallet)]);
  const mid = requireFound(mids)[coin];
  if (mid === undefined) throw new ApiError('V1_NO_PRICE');
  const account = requireFound(accounts).find(({ dex }) => dex === listed.dex);
  const leverage = trade.leverage ?? requireFound(await reads.exchangeLeverage(wallet, coin));
  const facts = tradeFacts(trade, listed, { mid, account, leverage });
  return {
    ...common,
    pair: { ...pair, state: followed ? await mirroredState(links, coin) : 'allowed' },
    ...facts,
    ...(facts.funds && { funds: await withSpotFunds(reads, wallet, listed, facts.funds) }),
  };
}

type Funds = { needed: string; available: string };

/** What is available to an account that lacks funds on a dex: a unified account also has the collateral that is free in spot. */
async function withSpotFunds(reads: VenueReads, wallet: WalletAddress, asset: Asset, funds: Funds): Promise<Funds> {
  if (compare(funds.needed, funds.available) <= 0) return funds;
  if (requireFound(await reads.accountMode(wallet)) === 'separate') return funds;
  const collateral = requireValue(asset.token);
  const spot = requireFound(await reads.spotBalances(wallet));
  const free = spot.find(({ token }) => token === collateral)?.free ?? '0';
  return { ...funds, available: compare(free, funds.available) > 0 ? free : funds.available };
}

/** The state of a coin at the network; null if the network does not list it, and therefore does not mirror it. */
async function mirroredState(links: Links, coin: string): Promise<TradeFacts['pair']['state']> {
  return (await links.registry()).find(({ exCoin }) => exCoin === coin)?.state ?? null;
}

/** What the venue has for a trade: the mid price, the account on the asset's dex, and its leverage in the asset. */
type Present = { mid: string; account: PerpAccount | undefined; leverage: number };

/** The facts of an order that is sized as a placement would size it. New exposure counts at the price of the market. */
function tradeFacts(trade: Trade, asset: Asset, { mid, account, leverage }: Present): Partial<TradeFacts> {
  const sized = sizeOrder(asset, mid, { ...trade, maxSlippage: DEFAULT_SLIPPAGE, reduceOnly: false });
  if ('fault' in sized) return { fault: faultOf(sized.fault, trade) };
  const { price, size, isBelowMinimum } = sized;
  const held = account?.positions.find(({ coin }) => coin === asset.coin);
  const opens = times(newSize(held?.size ?? '0', trade.side, size), trade.price === null ? mid : price);
  return {
    opens,
    minimum: isBelowMinimum ? { actual: times(size, price), least: asset.grid.minimumValue, unit: 'USD' } : null,
    leverage:
      trade.leverage === null ? null : { asked: String(trade.leverage), most: String(requireValue(asset.maxLeverage)) },
    funds: {
      needed: dividedBy(opens, String(trade.leverage ?? leverage), PLACES, 'up'),
      available: account ? tradableOf(account) : '0',
    },
  };
}

/** What an account may trade with: its value beyond the margin of its positions, of which less may be withdrawn. See venues/exchange.md#collateral. */
function tradableOf({ accountValue, marginUsed, withdrawable }: PerpAccount): string {
  const free = minus(accountValue, marginUsed);
  return compare(free, withdrawable) > 0 ? free : withdrawable;
}

const faultOf = (fault: 'invalid_price' | 'lot_size', { price, size }: Trade): TradeFacts['fault'] =>
  fault === 'lot_size'
    ? { rule: 'size.lot', actual: size, message: 'The size is smaller than the lot size of this asset.' }
    : {
        rule: 'price.tick',
        actual: String(price),
        message: 'The price is not a multiple of the tick size of this asset.',
      };

/** The part of an order that is new exposure: what remains after it has closed an opposite position. */
function newSize(held: string, side: Trade['side'], size: string): string {
  const isOpposite = isPositive(held) === (side === 'short') && held !== '0';
  if (!isOpposite) return size;
  return compare(size, absolute(held)) > 0 ? minus(size, absolute(held)) : '0';
}
