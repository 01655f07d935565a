import type { Handler } from '../../edge/handler.ts';
import { readOpenPositions } from '../network/queries.ts';
import { getNetworkTrader, walletOf } from '../traders.ts';
import { readPositions } from './exchange.ts';

export const listNetvenuePositions: Handler<'listNetvenuePositions'> = async (call) => {
  const { hotkey } = await getNetworkTrader(call);
  return { status: 200, body: await readOpenPositions(call.runtime.reads, hotkey) };
};

export const listExvenuePositions: Handler<'listExvenuePositions'> = async (call) => ({
  status: 200,
  body: await readPositions(call.runtime.reads, walletOf(call)),
});
