import type { Handler } from '../../edge/handler.ts';
import { findDashboard, findLimits, getTrader } from '../traders.ts';
import { accountRules, exchangeRules, pairRules } from './list.ts';
import { openable, readPairs } from './pairs.ts';

export const listRules: Handler<'listRules'> = async (call) => {
  const { reads } = call.runtime;
  const trader = await getTrader(call);
  const [details, dashboard, limits] = await Promise.all([
    readPairs(reads, trader),
    findDashboard(reads, trader),
    findLimits(reads, trader),
  ]);
  const own = dashboard && limits ? accountRules(dashboard, limits) : exchangeRules();
  return { status: 200, body: [...own, ...pairRules(details)] };
};

export const listSupportedPairs: Handler<'listSupportedPairs'> = async (call) => {
  const trader = await getTrader(call);
  const details = await readPairs(call.runtime.reads, trader);
  return {
    status: 200,
    body: { venue: trader.venue, pairs: openable(details), details, as_of: new Date().toISOString() },
  };
};
