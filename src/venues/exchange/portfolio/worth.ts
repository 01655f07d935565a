import { isPositive, isZero, plus, times } from '../../../kernel/decimals.ts';
import { USDC_TOKEN } from '../../../kernel/exchange-names.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import type { VenueReads } from '../../reads.ts';
import type { AccountMode, PerpAccount, SpotBalance } from '../adapter/types.ts';

/** The reads that a valuation needs. */
type PriceReads = Pick<VenueReads, 'exchangeAssets' | 'mids'>;

/** What the exchange shows of a wallet. `mode`: how it holds its collateral. */
export type WalletAssets = { mode: AccountMode; accounts: readonly PerpAccount[]; spot: readonly SpotBalance[] };

/**
 * What a wallet has, in USD. `accounts`: the value of each and of its open positions; what backs all positions of a unified account is one more
 * entry. `balance`: all that it has.
 */
export type Worth = { accounts: { value: string; exposure: string }[]; balance: string };

/**
 * Values accounts at the price of their dex's collateral, and free spot balances: USDC at 1, other tokens at mid, tokens without a USDC pair
 * excluded. Tokens are identified by their numbers, because names are not unique. The spot balances of a unified account include its perpetual
 * accounts: see venues/exchange.md#collateral. Unreadable if a collateral has no price, or if the pair of a token may be among those that cannot be
 * read.
 */
export async function worthOf(reads: PriceReads, { mode, accounts, spot }: WalletAssets): Promise<ReadResult<Worth>> {
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
