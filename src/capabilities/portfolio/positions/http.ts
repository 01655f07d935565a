import type { Handler } from '../../../contract/handler.ts';
import { slicePage } from '../../../kernel/pages.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { positionName, readOpenPositions } from '../network/read-model.ts';
import { getNetworkTrader, type TraderDeps, walletOf } from '../traders.ts';
import { readPositions } from './exchange.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** Lists the open positions of a subaccount at the network. */
export const listNetvenuePositions: Handler<'listNetvenuePositions', Deps> = async (call) => {
  const { hotkey } = await getNetworkTrader(call);
  const shown = { path: '/v1/positions/netvenue', cursorOf: positionName };
  return slicePage(call.query, shown, await readOpenPositions(call.deps.reads, hotkey));
};

/** Lists the open positions of a wallet at the exchange. */
export const listExvenuePositions: Handler<'listExvenuePositions', Deps> = async (call) => {
  const shown = { path: '/v1/positions/exvenue', cursorOf: positionName };
  return slicePage(call.query, shown, await readPositions(call.deps.reads, walletOf(call)));
};
