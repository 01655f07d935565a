import type { Call, Handler } from '../../edge/handler.ts';
import { compare } from '../../kernel/decimals.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { findDashboard, getTrader, must, type Trader, walletOf } from '../traders.ts';
import { exchangeAccount, networkAccount } from './account.ts';
import { readHoldings, usdcOf } from './exchange.ts';
import { readLimits } from './limits.ts';

/** USDC; what a wallet needs before it can be registered. Venue facts: BalanceStatus, lowered in May 2026. */
const MINIMUM_BALANCE = '0.01';

type Reads = Call['runtime']['reads'];

export const getBalance: Handler<'getBalance'> = async (call) => {
  const trader = await getTrader(call);
  const { reads } = call.runtime;
  const [dashboard, limits] = await Promise.all([findDashboard(reads, trader), limitsOf(reads, trader)]);
  if (dashboard) {
    const exBalance = await linkedBalance(reads, dashboard.exAddress);
    return { status: 200, body: networkAccount(trader, dashboard, limits, exBalance) };
  }
  const wallet = walletOf(call);
  return { status: 200, body: exchangeAccount(wallet, await readHoldings(reads, wallet), limits) };
};

export const getExchangeBalance: Handler<'getExchangeBalance'> = async (call) => {
  const { balance } = await readHoldings(call.runtime.reads, walletOf(call));
  const meets_minimum = compare(balance, MINIMUM_BALANCE) >= 0;
  return { status: 200, body: { balance, meets_minimum, minimum_required: MINIMUM_BALANCE } };
};

export const getSpotBalance: Handler<'getSpotBalance'> = async (call) => {
  const wallet = walletOf(call);
  const { free, total, hold } = usdcOf(must(await call.runtime.reads.spotBalances(wallet)));
  return { status: 200, body: { ex_wallet: wallet, asset: 'USDC', free, total, hold } };
};

export const getLeverageLimits: Handler<'getLeverageLimits'> = async (call) => ({
  status: 200,
  body: await limitsOf(call.runtime.reads, await getTrader(call)),
});

const limitsOf = (reads: Reads, trader: Trader) =>
  readLimits(reads, trader, async () =>
    trader.venue === 'exvenue' ? (await readHoldings(reads, trader.wallet)).balance : '0',
  );

/** What the wallet behind an account holds. The account is told without it when the exchange cannot be read. */
async function linkedBalance(reads: Reads, wallet: string | null): Promise<string | null> {
  if (wallet === null) return null;
  try {
    return (await readHoldings(reads, wallet)).balance;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
