import type { Handler } from '../../edge/handler.ts';
import { readRules } from '../network/queries.ts';
import { getTrader } from '../traders.ts';
import { openable, readPairs } from './pairs.ts';

export const listRules: Handler<'listRules'> = async (call) => ({
  status: 200,
  body: await readRules(call.runtime.reads, await getTrader(call)),
});

export const listSupportedPairs: Handler<'listSupportedPairs'> = async (call) => {
  const trader = await getTrader(call);
  const details = await readPairs(call.runtime.reads, trader);
  return {
    status: 200,
    body: { venue: trader.venue, pairs: openable(details), details, as_of: new Date().toISOString() },
  };
};
