import { dividedBy, isPositive, isZero, plus } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { USDC_TOKEN } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { requireFound } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import type { PerpAccount, SpotBalance } from '../adapter/types.ts';
import { type Worth, worthOf } from './worth.ts';

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
