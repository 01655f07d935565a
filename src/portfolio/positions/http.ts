import type { Handler } from '../../edge/handler.ts';
import { getNetworkTrader, must, walletOf } from '../traders.ts';
import { readPositions } from './exchange.ts';
import { isOpen, provenPositions, shownPosition } from './network.ts';

export const listNetvenuePositions: Handler<'listNetvenuePositions'> = async (call) => {
  const { hotkey } = await getNetworkTrader(call);
  const { reads } = call.runtime;
  const dashboard = must(await reads.dashboard(hotkey));
  const positions = (await provenPositions(dashboard, () => reads.networkOrders(hotkey))).filter(isOpen);
  positions.sort((a, b) => (a.openMs ?? 0) - (b.openMs ?? 0));
  return { status: 200, body: positions.map((position) => shownPosition(position, dashboard)) };
};

export const listExvenuePositions: Handler<'listExvenuePositions'> = async (call) => ({
  status: 200,
  body: await readPositions(call.runtime.reads, walletOf(call)),
});
