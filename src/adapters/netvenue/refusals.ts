import { type Rejected, rejected } from '../../kernel/answer.ts';

/** The miner's and validator's texts that prove nothing: the order may be executed, or being executed. */
const UNDECIDED =
  /failed to connect to vanta network|duplicate|already (been )?processed|timed? ?out|connection (error|reset|refused|aborted)|internal (server )?error/i;

/** Filled although the answer says no: only the bracket orders behind it failed. */
const FILLED_WITHOUT_BRACKETS = /market order filled successfully, but bracket order creation failed/i;

/**
 * What the venue's reasons mean, first match wins; the more telling ones stand first, since texts contain one another.
 * Venue facts: entity miner REST API, error texts of submit-order.
 */
const ORDER_REFUSALS: readonly Refusal[] = [
  [/placed too soon after the previous order/i, 'cooldown', 'The venue wants a pause between two orders of one pair.'],
  [/market\b.*\bclosed/i, 'market_closed', 'The market of this pair is closed.'],
  [/no live prices?/i, 'no_live_prices', 'The venue has no live price for this pair at the moment.'],
  [/0 order size after clamping/i, 'size_clamped_to_zero', 'The limits of the account leave no room for this order.'],
  [/no buying power|insufficient buying power/i, 'no_buying_power', 'The account has no buying power left.'],
  [/exposure cap/i, 'exposure_cap', 'The order would exceed an exposure limit of the account.'],
  [/collateral|cross.?margin/i, 'entity_collateral', 'The venue does not accept orders of this entity at the moment.'],
  [/eliminated/i, 'eliminated', 'The subaccount is eliminated.'],
  [/subaccount\b.*\b(pending|not active|inactive|failed)/i, 'subaccount_not_ready', 'The subaccount is not active.'],
  [/subaccount\b.*\b(not found|unknown|invalid)/i, 'subaccount_unknown', 'The venue does not know this subaccount.'],
  [/order\b.*\bnot found|no (unfilled|open|resting)\b.*\border/i, 'order_not_found', 'No such order is resting.'],
  [/cannot edit/i, 'cannot_edit', 'The order rests no longer, or it is of another pair.'],
  [/bracket/i, 'bracket_invalid', 'The stop-loss, take-profit or trailing stop does not fit the position.'],
  [
    /(trade.?pair|symbol)\b.*\b(invalid|unknown|unsupported|blocked|not (found|allowed|supported))|(invalid|unknown|unsupported) trade.?pair/i,
    'pair_not_allowed',
    'The pair is unknown or not open to this subaccount.',
  ],
  [/minimum|too small/i, 'below_minimum', 'The order is smaller than the venue accepts.'],
];

const SUBACCOUNT_REFUSALS: readonly Refusal[] = [
  [/insufficient collateral/i, 'insufficient_collateral', 'The entity has not enough collateral for this subaccount.'],
  [/unable to verify collateral/i, 'collateral_unverified', 'The venue could not verify the collateral of the entity.'],
  [/already registered/i, 'already_registered', 'This address already has a subaccount.'],
  [
    /maximum (number of )?subaccounts|subaccount limit/i,
    'max_subaccounts',
    'The entity has as many subaccounts as it may.',
  ],
  [
    /account_?.?size\b.*\b(exceed|maximum|max|at most)|(exceed|maximum)\b.*\baccount.?size/i,
    'size_over_max',
    'The account size is above the maximum.',
  ],
  [/entity\b.*\bnot (found|registered)/i, 'entity_unknown', 'The venue does not know this entity.'],
  [/invalid|missing|must be|required/i, 'bad_request', 'The venue refused the form of the request.'],
];

type Refusal = readonly [text: RegExp, slug: string, message: string];

/** What the text of an order's no amounts to. */
export type OrderVerdict = { kind: 'filled' } | { kind: 'undecided' } | Rejected;

/** Reads an order's no; a reason nobody knows is still a no, and no reason at all is none. Never passes the text on. */
export const judgeOrderText = (text: string, unknown: Rejected = refusedForReasonsUnknown): OrderVerdict => {
  if (FILLED_WITHOUT_BRACKETS.test(text)) return { kind: 'filled' };
  if (text.trim() === '' || UNDECIDED.test(text)) return { kind: 'undecided' };
  const refusal = firstMatch(ORDER_REFUSALS, text) ?? unknown;
  return refusal.slug === 'cooldown' ? { ...refusal, retryAfterS: secondsToWait(text) } : refusal;
};

/** Reads the no to a new subaccount. */
export const judgeSubaccountText = (text: string): Rejected =>
  firstMatch(SUBACCOUNT_REFUSALS, text) ?? refusedForReasonsUnknown;

export const refusedForReasonsUnknown = rejected('rejected_by_venue', 'The venue refused the request.');
export const refusedForForm = rejected('bad_request', 'The venue refused the form of the request.');
export const refusedOurKey = rejected('venue_auth', 'The venue did not accept our credentials.');

/** The venue's own pause, for the day its text names no seconds. */
const USUAL_COOLDOWN_S = 5;

const firstMatch = (refusals: readonly Refusal[], text: string): Rejected | null => {
  const match = refusals.find(([pattern]) => pattern.test(text));
  return match ? rejected(match[1], match[2]) : null;
};

const secondsToWait = (text: string): number => {
  const seconds = Number(/wait ([\d.]+) seconds?/i.exec(text)?.[1]);
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : USUAL_COOLDOWN_S;
};
