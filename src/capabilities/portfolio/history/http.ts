import type { Handler } from '../../../contract/handler.ts';
import { filterOf, historyPage } from '../../../venues/history.ts';
import { openPortfolio, type PortfolioDeps } from '../portfolio.ts';

/** Lists a trader's closed positions, newest first. */
export const listClosedPositions: Handler<'listClosedPositions', PortfolioDeps> = async (call) => {
  const filter = filterOf(call.query);
  const { closedPositions } = await openPortfolio(call);
  return historyPage('/v1/history/positions', call.query, await closedPositions(filter));
};

/** Lists a trader's filled orders, newest first. */
export const listFilledOrders: Handler<'listFilledOrders', PortfolioDeps> = async (call) => {
  const filter = filterOf(call.query);
  const { filledOrders } = await openPortfolio(call);
  return historyPage('/v1/history/orders', call.query, await filledOrders(filter));
};
