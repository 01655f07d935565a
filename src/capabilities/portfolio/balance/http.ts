import type { Handler } from '../../../contract/handler.ts';
import { openPortfolio, type PortfolioDeps } from '../portfolio.ts';

/** Returns the account of a trader. */
export const getBalance: Handler<'getBalance', PortfolioDeps> = async (call) => ({
  status: 200,
  body: await (await openPortfolio(call)).account(),
});

/** Returns the leverage limits of a trader. */
export const getLeverageLimits: Handler<'getLeverageLimits', PortfolioDeps> = async (call) => ({
  status: 200,
  body: await (await openPortfolio(call)).limits(),
});
