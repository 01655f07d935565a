import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Portfolio } from '../../venues/portfolio.ts';
import type { Venue } from '../../venues/venue.ts';

/** The dependencies of `openPortfolio`. */
export type PortfolioDeps = { venues: readonly Venue[] };

/** The members of a call that identify its trader. */
type AnyCall = { deps: PortfolioDeps; principal: { owner: OwnerId }; header: { 'Trader-ID': string } };

/** The venue of a call's trader, by the form of its Trader-ID. Throws V1_TRADER_UNKNOWN for an id of no venue. */
export function venueOf({ deps, header }: Pick<AnyCall, 'deps' | 'header'>): Venue {
  const venue = deps.venues.find(({ recognises }) => recognises(header['Trader-ID']));
  if (!venue) throw new ApiError('V1_TRADER_UNKNOWN');
  return venue;
}

/** The portfolio of a call's trader. Throws V1_TRADER_UNKNOWN if the owner has no such trader. */
export const openPortfolio = (call: AnyCall): Promise<Portfolio> =>
  venueOf(call).open(call.principal.owner, call.header['Trader-ID']);
