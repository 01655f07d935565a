import type { Call, Handler } from '../../../contract/handler.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { pageBehind } from '../../../kernel/pages.ts';
import { placeOfPosition } from '../../../venues/portfolio.ts';
import type { Venue } from '../../../venues/venue.ts';
import { openPortfolio, type PortfolioDeps, venueOf } from '../portfolio.ts';

type AnyCall = Call<'listNetvenuePositions' | 'listExvenuePositions', PortfolioDeps>;

/** Lists the open positions of a subaccount at the network. */
export const listNetvenuePositions: Handler<'listNetvenuePositions', PortfolioDeps> = (call) =>
  positionsAt('netvenue', call);

/** Lists the open positions of a wallet at the exchange. */
export const listExvenuePositions: Handler<'listExvenuePositions', PortfolioDeps> = (call) =>
  positionsAt('exvenue', call);

async function positionsAt(id: Venue['id'], call: AnyCall) {
  if (venueOf(call).id !== id) throw new ApiError('V1_TRADER_UNKNOWN');
  const { positions } = await openPortfolio(call);
  return pageBehind(call.query, { path: `/v1/positions/${id}`, placeAt: placeOfPosition }, await positions());
}
