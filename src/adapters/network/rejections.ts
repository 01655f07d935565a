import { type Rejected, rejected } from '../../kernel/upstream-result.ts';

/** Texts of the miner and validator that prove nothing: the order may be executed already, or still be in progress. */
const UNDECIDED =
  /failed to connect to vanta network|duplicate|already (been )?processed|timed? ?out|connection (error|reset|refused|aborted)|internal (server )?error/i;

/** The order is filled although the response reports a failure: only its bracket orders failed. */
const FILLED_WITHOUT_BRACKETS = /market order filled successfully, but bracket order creation failed/i;

/**
 * The venue's rejection texts. The first match wins; the more specific patterns come first, because texts overlap.
 * Venue facts: entity miner REST API, error texts of submit-order.
 */
const ORDER_REJECTIONS: readonly KnownRejection[] = [
  [
    /placed too soon after the previous order/i,
    'cooldown',
    'The venue requires a pause between two orders of one pair.',
  ],
  [/market\b.*\bclosed/i, 'market_closed', 'The market of this pair is closed.'],
  [/no live prices?/i, 'no_live_prices', 'The venue currently has no live price for this pair.'],
  [/0 order size after clamping/i, 'size_clamped_to_zero', 'The limits of the account leave no room for this order.'],
  [/no buying power|insufficient buying power/i, 'no_buying_power', 'The account has no buying power left.'],
  [/exposure cap/i, 'exposure_cap', 'The order would exceed an exposure limit of the account.'],
  [/collateral|cross.?margin/i, 'entity_collateral', 'The venue currently does not accept orders of this entity.'],
  [/eliminated/i, 'eliminated', 'The subaccount is eliminated.'],
  [/subaccount\b.*\b(pending|not active|inactive|failed)/i, 'subaccount_not_ready', 'The subaccount is not active.'],
  [/subaccount\b.*\b(not found|unknown|invalid)/i, 'subaccount_unknown', 'The venue does not know this subaccount.'],
  [/order\b.*\bnot found|no (unfilled|open|resting)\b.*\border/i, 'order_not_found', 'No such open order exists.'],
  [/cannot edit/i, 'cannot_edit', 'The order is no longer open, or belongs to another pair.'],
  [/bracket/i, 'bracket_invalid', 'The stop-loss, take-profit or trailing stop is invalid for the position.'],
  [
    /(trade.?pair|symbol)\b.*\b(invalid|unknown|unsupported|blocked|not (found|allowed|supported))|(invalid|unknown|unsupported) trade.?pair/i,
    'pair_not_allowed',
    'The pair is unknown or not available to this subaccount.',
  ],
  [/minimum|too small/i, 'below_minimum', 'The order is smaller than the venue accepts.'],
];

const SUBACCOUNT_REJECTIONS: readonly KnownRejection[] = [
  [
    /insufficient collateral/i,
    'insufficient_collateral',
    'The entity does not have enough collateral for this subaccount.',
  ],
  [/unable to verify collateral/i, 'collateral_unverified', 'The venue could not verify the collateral of the entity.'],
  [/already registered/i, 'already_registered', 'This address already has a subaccount.'],
  [
    /maximum (number of )?subaccounts|subaccount limit/i,
    'max_subaccounts',
    'The entity has reached its maximum number of subaccounts.',
  ],
  [
    /account_?.?size\b.*\b(exceed|maximum|max|at most)|(exceed|maximum)\b.*\baccount.?size/i,
    'size_over_max',
    'The account size is above the maximum.',
  ],
  [/entity\b.*\bnot (found|registered)/i, 'entity_unknown', 'The venue does not know this entity.'],
  [/invalid|missing|must be|required/i, 'bad_request', 'The venue rejected the request as malformed.'],
];

type KnownRejection = readonly [text: RegExp, slug: string, message: string];

/** Meaning of an order's rejection text. `undecided`: the text proves nothing. */
export type OrderVerdict = { kind: 'filled' } | { kind: 'undecided' } | Rejected;

/**
 * Classifies an order's rejection text. An unknown text is a rejection; an empty one is undecided. Never passes the
 * text on.
 */
export const classifyOrderText = (text: string, unknown: Rejected = rejectedForReasonsUnknown): OrderVerdict => {
  if (FILLED_WITHOUT_BRACKETS.test(text)) return { kind: 'filled' };
  if (text.trim() === '' || UNDECIDED.test(text)) return { kind: 'undecided' };
  const rejection = firstMatch(ORDER_REJECTIONS, text) ?? unknown;
  return rejection.slug === 'cooldown' ? { ...rejection, retryAfterS: secondsToWait(text) } : rejection;
};

/** Classifies the rejection text of a new subaccount. */
export const classifySubaccountText = (text: string): Rejected =>
  firstMatch(SUBACCOUNT_REJECTIONS, text) ?? rejectedForReasonsUnknown;

/** A rejection with an unknown text. */
export const rejectedForReasonsUnknown = rejected('rejected_by_venue', 'The venue rejected the request.');
/** A rejection of the request's format. */
export const rejectedForForm = rejected('bad_request', 'The venue rejected the request as malformed.');
/** A rejection of this service's credentials. */
export const rejectedOurKey = rejected('venue_auth', 'The venue rejected the credentials of this service.');

/** The venue's usual cooldown, used if its text contains no number of seconds. */
const USUAL_COOLDOWN_S = 5;

const firstMatch = (rejections: readonly KnownRejection[], text: string): Rejected | null => {
  const match = rejections.find(([pattern]) => pattern.test(text));
  return match ? rejected(match[1], match[2]) : null;
};

const secondsToWait = (text: string): number => {
  const seconds = Number(/wait ([\d.]+) seconds?/i.exec(text)?.[1]);
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : USUAL_COOLDOWN_S;
};
