import type { Handler } from '../../../contract/handler.ts';
import { compare } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { findDashboard, getTrader, requireFound, type Trader, type TraderDeps, walletOf } from '../traders.ts';
import { exchangeAccount, networkAccount } from './account.ts';
import { readHoldings, usdcOf } from './exchange.ts';
import { readLimits } from './limits.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** The minimum balance of a wallet for registration, in USDC. See venues/registrar.md#miners. */
const MINIMUM_BALANCE = '0.01';

type Reads = Deps['reads'];

/** Returns the account of a trader. */
export const getBalance: Handler<'getBalance', Deps> = async (call) => {
  const trader = await getTrader(call);
  const { reads } = call.deps;
  const [dashboard, limits] = await Promise.all([findDashboard(reads, trader), limitsOf(reads, trader)]);
  if (dashboard) {
    const exBalance = await linkedBalance(reads, dashboard.exAddress);
    return { status: 200, body: networkAccount(trader, dashboard, limits, exBalance) };
  }
  const wallet = walletOf(call);
  return { status: 200, body: exchangeAccount(wallet, await readHoldings(reads, wallet), limits) };
};

/** Returns a wallet's balance on the exchange, and whether it suffices for registration. */
export const getExchangeBalance: Handler<'getExchangeBalance', Deps> = async (call) => {
  const { balance } = await readHoldings(call.deps.reads, walletOf(call));
  const meets_minimum = compare(balance, MINIMUM_BALANCE) >= 0;
  return { status: 200, body: { balance, meets_minimum, minimum_required: MINIMUM_BALANCE } };
};

/** Returns a wallet's spot USDC. */
export const getSpotBalance: Handler<'getSpotBalance', Deps> = async (call) => {
  const wallet = walletOf(call);
  const { free, total, hold } = usdcOf(requireFound(await call.deps.reads.spotBalances(wallet)));
  return { status: 200, body: { ex_wallet: wallet, asset: 'USDC', free, total, hold } };
};

/** Returns the leverage limits of a trader. */
export const getLeverageLimits: Handler<'getLeverageLimits', Deps> = async (call) => ({
  status: 200,
  body: await limitsOf(call.deps.reads, await getTrader(call)),
});

const limitsOf = (reads: Reads, trader: Trader) =>
  readLimits(reads, trader, async () =>
    trader.venue === 'exvenue' ? (await readHoldings(reads, trader.wallet)).balance : '0',
  );

/**
 * The balance of the wallet linked to an account; null if the exchange cannot be read, so that the account is still
 * shown.
 */
async function linkedBalance(reads: Reads, wallet: WalletAddress | null): Promise<string | null> {
  if (wallet === null) return null;
  try {
    return (await readHoldings(reads, wallet)).balance;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
