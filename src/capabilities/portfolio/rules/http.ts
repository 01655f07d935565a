import type { Handler } from '../../../contract/handler.ts';
import { slicePage } from '../../../kernel/pages.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { readRules } from '../network/read-model.ts';
import { getTrader, type TraderDeps } from '../traders.ts';
import { openable, readPairs } from './pairs.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** Lists the rules of a trader with current values. */
export const listRules: Handler<'listRules', Deps> = async (call) => {
  const rules = await readRules(call.deps.reads, await getTrader(call));
  return slicePage(call.query, { path: '/v1/rules', cursorOf: ({ rule_id }) => rule_id }, rules);
};

/** Lists the pairs that a trader may trade. */
export const listSupportedPairs: Handler<'listSupportedPairs', Deps> = async (call) => {
  const trader = await getTrader(call);
  const details = await readPairs(call.deps.reads, trader);
  return {
    status: 200,
    body: { venue: trader.venue, pairs: openable(details), details, as_of: new Date(epochMs()).toISOString() },
  };
};
