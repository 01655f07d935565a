import { dividedBy, isPositive, isZero, plus, times } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { USDC_TOKEN } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { requireFound } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import type { AccountMode, PerpAccount, SpotBalance } from '../adapter/types.ts';

/** What a wallet holds on the exchange, in USD. `atMs`: the time of the oldest of its accounts. */
export type Holdings = Worth & { atMs: number };

/** Reads a wallet's holdings. Throws VENUE_UNREADABLE if a part cannot be read or valued. */
export async function readHoldings(reads: VenueReads, wallet: WalletAddress): Promise<Holdings> {
  const [perps, balances] = await Promise.all([reads.accounts(wallet), reads.spotBalances(wallet)]);
  const [accounts, spot] = [requireFound(perps), requireFound(balances)];
  const mode = mayBeUnified(accounts, spot) ? requireFound(await reads.accountMode(wallet)) : 'separate';
  const worth = requireFound(await worthOf(reads, { mode, accounts, spot }));
  return { ...worth, atMs: Math.min(...accounts.map(({ atMs }) => atMs)) };
}

/**
 * Whether the mode of an account, which is expensive to read, decides what it has: a unified one has nothing withdrawable on any dex, holds spot
 * for its positions and orders, and may owe some. See venues/exchange.md#collateral.
 */
const mayBeUnified = (accounts: PerpAccount[], spot: SpotBalance[]): boolean =>
  accounts.every(({ withdrawable }) => !isPositive(withdrawable)) &&
  (accounts.some(({ accountValue }) => !isZero(accountValue)) ||
    spot.some(({ hold, total, free }) => !isZero(hold) || total !== free));

/** The reads that a valuation needs. */
type PriceReads = Pick<VenueReads, 'exchangeAssets' | 'mids'>;

/** What the exchange shows of a wallet. `mode`: how it holds its collateral. */
type WalletAssets = { mode: AccountMode; accounts: readonly PerpAccount[]; spot: readonly SpotBalance[] };

/**
 * What a wallet has, in USD. `accounts`: the value of each and of its open positions; what backs all positions of a unified account is one more
 * entry. `balance`: all that it has.
 */
type Worth = { accounts: { value: string; exposure: string }[]; balance: string };

/**
 * Values accounts at the price of their dex's collateral, and free spot balances: USDC at 1, other tokens at mid, tokens without a USDC pair
 * excluded. Tokens are identified by their numbers, because names are not unique. The spot balances of a unified account include its perpetual
 * accounts: see venues/exchange.md#collateral. Unreadable if a collateral has no price, or if the pair of a token may be among those that cannot be
 * read.
 */
async function worthOf(reads: PriceReads, { mode, accounts, spot }: WalletAssets): Promise<ReadResult<Worth>> {
  const isUnified = mode === 'unified';
  const collaterals = await Promise.all(accounts.map((account) => collateralOf(reads, account)));
  const held = spot
    .map(({ token, free, total }) => ({ token, size: isUnified ? total : free }))
    .filter(({ size }) => !isZero(size));
  const isPriced = [...held.map(({ token }) => token), ...collaterals].some((token) => token !== USDC_TOKEN);
  const known = isPriced ? await readPrices(reads) : { prices: [], areAll: true };
  if (!known) return unreadable('no prices');
  const { prices, areAll } = known;
  const priceOf = (token: number | null | undefined) =>
    token === USDC_TOKEN ? '1' : prices.find((one) => one.token === token)?.price;
  const worth: Worth = { accounts: [], balance: '0' };
  for (const [n, { accountValue, totalPositionValue }] of accounts.entries()) {
    const token = collaterals[n];
    const price = priceOf(token);
    if (price === undefined) return unreadable('a collateral without a price');
    const value = isUnified ? '0' : times(accountValue, price);
    worth.accounts.push({ value, exposure: times(totalPositionValue, price) });
  }
  if (!areAll && held.some(({ token }) => token !== null && priceOf(token) === undefined))
    return unreadable('a token whose pair may be unread');
  const values = held.map(({ token, size }) => ({
    value: times(size, priceOf(token) ?? '0'),
    isCollateral: collaterals.includes(token),
  }));
  worth.balance = [...worth.accounts, ...values].reduce((sum, { value }) => plus(sum, value), '0');
  if (!isUnified) return found(worth);
  const backing = values.filter(({ isCollateral }) => isCollateral).reduce((sum, { value }) => plus(sum, value), '0');
  const value = isPositive(backing) ? backing : worth.balance; // with portfolio margin other tokens back what is borrowed
  return found({ ...worth, accounts: [...worth.accounts, { value, exposure: '0' }] });
}

/** The number of the collateral of an account that has any; null if it is not known. */
async function collateralOf(reads: PriceReads, account: PerpAccount): Promise<number | null> {
  const { dex, accountValue, totalPositionValue } = account;
  if (dex === '' || (isZero(accountValue) && isZero(totalPositionValue))) return USDC_TOKEN;
  const assets = await reads.exchangeAssets(dex);
  return assets.kind === 'found' ? (assets.data.rows[0]?.token ?? null) : null;
}

/** The prices in USDC of the tokens that have one. `areAll`: every pair could be read. Null if the prices cannot be read. */
async function readPrices(reads: PriceReads) {
  const [pairs, mids] = await Promise.all([reads.exchangeAssets('spot'), reads.mids('')]);
  if (pairs.kind !== 'found' || mids.kind !== 'found') return null;
  const prices = pairs.data.rows.flatMap(({ token, quoteToken, coin }) => {
    const price = mids.data[coin];
    return quoteToken === USDC_TOKEN && price !== undefined ? [{ token, price }] : [];
  });
  return { prices, areAll: pairs.data.unread.length === 0 };
}

/** A wallet's spot USDC. The exchange omits zero balances. */
export function usdcOf(spot: SpotBalance[]): Pick<SpotBalance, 'free' | 'total' | 'hold'> {
  return spot.find(({ token }) => token === USDC_TOKEN) ?? { free: '0', total: '0', hold: '0' };
}

/**
 * The total value of all positions as a multiple of the account value; 0 without positions. Throws VENUE_UNREADABLE if there are positions and no
 * account value, as before a liquidation: no multiple expresses that.
 */
export function leverageOf(accounts: Worth['accounts']): string {
  const exposure = accounts.reduce((sum, account) => plus(sum, account.exposure), '0');
  const value = accounts.reduce((sum, account) => plus(sum, account.value), '0');
  if (isZero(exposure)) return '0';
  if (!isPositive(value)) throw new ApiError('VENUE_UNREADABLE');
  return dividedBy(exposure, value, PLACES, 'down');
}

const PLACES = 8;
