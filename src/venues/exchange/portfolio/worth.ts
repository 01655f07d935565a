import { isZero, plus, times } from '../../../kernel/decimals.ts';
import { USDC_TOKEN } from '../../../kernel/exchange-names.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import type { VenueReads } from '../../reads.ts';
import type { PerpAccount, SpotBalance } from '../adapter/types.ts';

/** The reads that a valuation needs. */
type PriceReads = Pick<VenueReads, 'exchangeAssets' | 'mids'>;

/** What a wallet has, in USD. `accounts`: the value of each and of its open positions. `balance`: all of it, with free spot balances. */
export type Worth = { accounts: { value: string; exposure: string }[]; balance: string };

const USDC = 'USDC';

/**
 * Values accounts at the price of their dex's collateral, and free spot balances: USDC at 1, other tokens at mid, tokens
 * without a USDC pair excluded. Unreadable if an account has a collateral without a price: no sum of two tokens is at 1.
 */
export async function worthOf(
  reads: PriceReads,
  accounts: readonly PerpAccount[],
  spot: readonly SpotBalance[],
): Promise<ReadResult<Worth>> {
  const collaterals = await Promise.all(accounts.map((account) => collateralOf(reads, account)));
  const held = spot.filter(({ free }) => !isZero(free));
  const isPriced = held.some(({ coin }) => coin !== USDC) || collaterals.some((token) => token !== USDC_TOKEN);
  const prices = isPriced ? await readPrices(reads) : [];
  if (!prices) return unreadable('no prices');
  const worth: Worth = { accounts: [], balance: '0' };
  for (const [n, { accountValue, totalPositionValue }] of accounts.entries()) {
    const token = collaterals[n];
    const price = token === USDC_TOKEN ? '1' : prices.find((known) => known.token === token)?.price;
    if (token === null || price === undefined) return unreadable('a collateral without a price');
    worth.accounts.push({ value: times(accountValue, price), exposure: times(totalPositionValue, price) });
  }
  const values = held.map(({ coin, free }) => {
    const price = coin === USDC ? '1' : prices.find(({ base }) => base === coin)?.price;
    return times(free, price ?? '0');
  });
  worth.balance = [...worth.accounts.map(({ value }) => value), ...values].reduce(plus, '0');
  return found(worth);
}

/** The number of the collateral of an account that has any; null if it is not known. */
async function collateralOf(reads: PriceReads, account: PerpAccount): Promise<number | null> {
  const { dex, accountValue, totalPositionValue } = account;
  if (dex === '' || (isZero(accountValue) && isZero(totalPositionValue))) return USDC_TOKEN;
  const assets = await reads.exchangeAssets(dex);
  return assets.kind === 'found' ? (assets.data[0]?.token ?? null) : null;
}

/** The prices in USDC of the tokens that have one; null if they cannot be read. */
async function readPrices(reads: PriceReads) {
  const [pairs, mids] = await Promise.all([reads.exchangeAssets('spot'), reads.mids('')]);
  if (pairs.kind !== 'found' || mids.kind !== 'found') return null;
  return pairs.data.flatMap(({ base, quote, token, coin }) => {
    const price = mids.data[coin];
    return quote === USDC && price !== undefined ? [{ base, token, price }] : [];
  });
}
