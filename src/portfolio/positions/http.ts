import type { Handler } from '../../edge/handler.ts';
import { readOpenPositions } from '../network/read-model.ts';
import type { VenueReads } from '../read-model.ts';
import { getNetworkTrader, type TraderDeps, walletOf } from '../traders.ts';
import { readPositions } from './exchange.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** Lists the open positions of a subaccount at the network. */
export const listNetvenuePositions: Handler<'listNetvenuePositions', Deps> = async (call) => {
  const { hotkey } = await getNetworkTrader(call);
  return { status: 200, body: await readOpenPositions(call.deps.reads, hotkey) };
};

/** Lists the open positions of a wallet at the exchange. */
export const listExvenuePositions: Handler<'listExvenuePositions', Deps> = async (call) => ({
  status: 200,
  body: await readPositions(call.deps.reads, walletOf(call)),
});
