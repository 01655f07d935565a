import type { Handler } from '../../../contract/handler.ts';
import { slicePage } from '../../../kernel/pages.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { getTrader, type TraderDeps } from '../traders.ts';
import { hasEnded, readWeeks, shownPayout } from './read-model.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** Lists a trader's payouts of past weeks, newest first. */
export const listPayouts: Handler<'listPayouts', Deps> = async (call) => {
  const weeks = await readWeeks(call.deps.reads, await getTrader(call));
  const shown = { path: '/v1/payouts', cursorOf: ({ date }: { date: string }) => date };
  return slicePage(call.query, shown, weeks.filter(hasEnded).reverse().map(shownPayout));
};

/** Returns the payout of the current week; 204 if there is none. */
export const getPendingPayout: Handler<'getPendingPayout', Deps> = async (call) => {
  const weeks = await readWeeks(call.deps.reads, await getTrader(call));
  const running = weeks.find((week) => !hasEnded(week));
  return running ? { status: 200, body: shownPayout(running) } : { status: 204, body: undefined };
};
