import type { Handler } from '../../../contract/handler.ts';
import { slicePage } from '../../../kernel/pages.ts';
import { epochMs } from '../../../kernel/work.ts';
import { rulesOf } from '../../../venues/pair-rules.ts';
import type { PairDetail } from '../../../venues/portfolio.ts';
import { openPortfolio, type PortfolioDeps, venueOf } from '../portfolio.ts';

/** Lists the rules of a trader with current values. */
export const listRules: Handler<'listRules', PortfolioDeps> = async (call) => {
  const rules = await rulesOf(await openPortfolio(call));
  return slicePage(call.query, { path: '/v1/rules', cursorOf: ({ rule_id }) => rule_id }, rules);
};

/** Lists the pairs that a trader may trade. */
export const listSupportedPairs: Handler<'listSupportedPairs', PortfolioDeps> = async (call) => {
  const { pairs } = await openPortfolio(call);
  const details = await pairs();
  return {
    status: 200,
    body: { venue: venueOf(call).id, pairs: openable(details), details, as_of: new Date(epochMs()).toISOString() },
  };
};

/** The names of the pairs in which positions may be opened, sorted. */
const openable = (details: PairDetail[]): string[] =>
  details
    .filter(({ state }) => state === 'allowed')
    .map(({ pair }) => pair)
    .sort();
