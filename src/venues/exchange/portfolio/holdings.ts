import { dividedBy, isPositive, isZero, plus, times } from '../../../kernel/decimals.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { requireFound } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import type { PerpAccount, SpotBalance } from '../adapter/types.ts';

/** What a wallet holds on the exchange: its accounts on every dex, its spot balances, and the value of both in USD. */
export type Holdings = { accounts: PerpAccount[]; spot: SpotBalance[]; balance: string };

const USDC = 'USDC';

/**
 * Reads a wallet's holdings. The balance is the account value on all dexes plus the value of the free spot balances:
 * USDC at 1, other tokens at mid, tokens without a USDC pair excluded. Throws VENUE_UNREADABLE if a part cannot be
 * read.
 */
export async function readHoldings(reads: VenueReads, wallet: WalletAddress): Promise<Holdings> {
  const [perps, balances] = await Promise.all([reads.accounts(wallet), reads.spotBalances(wallet)]);
  const [accounts, spot] = [requireFound(perps), requireFound(balances)];
  const perpValue = accounts.reduce((sum, { accountValue }) => plus(sum, accountValue), '0');
  return { accounts, spot, balance: plus(perpValue, await spotValue(reads, spot)) };
}

/** A wallet's spot USDC. The exchange omits zero balances. */
export function usdcOf(spot: SpotBalance[]): Pick<SpotBalance, 'free' | 'total' | 'hold'> {
  return spot.find(({ coin }) => coin === USDC) ?? { free: '0', total: '0', hold: '0' };
}

/** The total value of all positions as a multiple of the account value; 0 for accounts without value. */
export function leverageOf(accounts: PerpAccount[]): string {
  const exposure = accounts.reduce((sum, { totalPositionValue }) => plus(sum, totalPositionValue), '0');
  const worth = accounts.reduce((sum, { accountValue }) => plus(sum, accountValue), '0');
  return isPositive(worth) ? dividedBy(exposure, worth, PLACES, 'down') : '0';
}

const PLACES = 8;

async function spotValue(reads: VenueReads, spot: SpotBalance[]): Promise<string> {
  const usdc = usdcOf(spot).free;
  const tokens = spot.filter(({ coin, free }) => coin !== USDC && !isZero(free));
  if (tokens.length === 0) return usdc;
  const [assets, mids] = await Promise.all([reads.exchangeAssets('spot'), reads.mids('')]);
  const [pairs, prices] = [requireFound(assets), requireFound(mids)];
  return tokens.reduce((sum, { coin, free }) => {
    const pair = pairs.find(({ base, quote }) => base === coin && quote === USDC);
    const price = pair && prices[pair.coin];
    return price === undefined ? sum : plus(sum, times(free, price));
  }, usdc);
}
