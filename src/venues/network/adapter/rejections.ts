import { type Rejected, rejected } from '../../../kernel/upstream-result.ts';

/** Texts of the miner and validator that prove nothing: the order may be executed already, or still be in progress. */
const UNDECIDED =
  /failed to connect to vanta network|duplicate|already (been )?processed|timed? ?out|connection (error|reset|refused|aborted)|internal (server )?error/i;

/**
 * Texts about exits. The validator creates them after the parent's fill, and some texts of a filled parent are those of
 * an order that was never placed. See venues/network.md#error-texts.
 */
const ABOUT_EXITS = /(?<!-)bracket|stop_loss|take_profit|trailing_(stop|percent|value)/i; // not an order's name

/** A limit order that is filled at once and fails in it is cancelled, also by an edit of a resting one. */
const CANCELLED_BY_IT = /could not fill limit order/i;

/**
 * The venue's rejection texts. The first match wins; the more specific patterns come first, because texts overlap.
 * See venues/network.md#error-texts.
 */
const ORDER_REJECTIONS: readonly KnownRejection[] = [
  [
    /placed too soon after the previous order/i,
    'cooldown',
    'The venue requires a pause between two orders of one pair; send a new order after it.',
  ],
  [
    /invalid signal payload|missing required field|invalid (execution|order)_type/i,
    'bad_request',
    'The venue rejected the request as malformed; check its members.',
  ],
  [/market\b.*\bclosed/i, 'market_closed', 'The market of this pair is closed; place the order when it opens.'],
  [
    /no live prices?/i,
    'no_live_prices',
    'The venue currently has no live price for this pair; send a new order shortly.',
  ],
  [
    /0 order size after clamping|value and quantity must be set/i,
    'size_clamped_to_zero',
    'The limits of the account leave no room for this order; reduce a position first.',
  ],
  [
    /no buying power|insufficient buying power/i,
    'no_buying_power',
    'The account has no buying power left; reduce a position first.',
  ],
  [/exposure cap/i, 'exposure_cap', 'The order would exceed an exposure limit of the account; make it smaller.'],
  [
    /collateral|cross.?margin/i,
    'entity_collateral',
    'The venue currently does not accept orders of this entity; its operator must add collateral.',
  ],
  [
    /transitioning to a pro account/i,
    'account_transitioning',
    'The account moves to a pro account; only close positions until then.',
  ],
  [
    /cannot place orders directly/i,
    'subaccount_required',
    'The venue accepts orders of subaccounts only; use the id of a subaccount.',
  ],
  [/eliminated|de-?registered/i, 'eliminated', 'The subaccount is eliminated; it cannot trade any more.'],
  [
    /not yet initialized/i,
    'account_initializing',
    'The venue is still setting this account up; send a new order shortly.',
  ],
  [
    /syncing positions|validator is restarting|needs to be synced/i,
    'venue_syncing',
    'The venue is restarting or synchronizing its records; send a new order shortly.',
  ],
  [
    /too many requests|rate limit/i,
    'venue_rate_limit',
    'The venue limits the rate of requests; send a new order later.',
  ],
  [
    /no asset class selected/i,
    'asset_class_missing',
    'The subaccount has no asset class; select one at the network first.',
  ],
  [
    /asset class\b.*\bcannot submit/i,
    'asset_class_mismatch',
    'The asset class of the subaccount does not cover this pair; trade a pair of its class.',
  ],
  [
    /temporarily halted/i,
    'pair_halted',
    'The venue has halted this pair for a while; send a new order later or choose another pair.',
  ],
  [/is being discontinued/i, 'pair_close_only', 'The venue is removing this pair; its positions can only be closed.'],
  [/no longer supported/i, 'pair_discontinued', 'The venue no longer trades this pair; choose another.'],
  [/too many unfilled/i, 'too_many_resting_orders', 'The account has too many resting orders; cancel some first.'],
  [
    /(subaccount|synthetic hotkey)\b.*\b(pending|not active|inactive|failed)/i,
    'subaccount_not_ready',
    'The subaccount is not active; wait until the network has activated it.',
  ],
  [
    /(subaccount|synthetic hotkey)\b.*\b(not found|unknown|invalid)/i,
    'subaccount_unknown',
    'The venue does not know this subaccount; check its id.',
  ],
  [/no open position/i, 'no_position', 'No position is open in this pair; open one before you protect it.'],
  [
    /order\b.*\bnot found|no (unfilled|open|resting)\b.*\border/i,
    'order_not_found',
    'No such open order exists; read the orders of the account.',
  ],
  [/signal for closed position/i, 'position_closed', 'The position was closed meanwhile; read the positions.'],
  [/cannot edit/i, 'cannot_edit', 'The order is no longer open, or belongs to another pair.'],
  [
    ABOUT_EXITS,
    'bracket_invalid',
    'The stop-loss, take-profit or trailing stop is invalid for the position; check their sides of the price.',
  ],
  [
    /(trade.?pair|symbol)\b.*\b(invalid|unknown|unsupported|blocked|not (found|allowed|supported|be validated))|(invalid|unknown|unsupported) trade.?pair/i,
    'pair_not_allowed',
    'The pair is unknown or not available to this subaccount; choose another.',
  ],
  [
    /minimum|too small|order value must be greater/i,
    'below_minimum',
    'The order is smaller than the venue accepts; make it larger.',
  ],
  [
    /exactly one of\b.*\b(quantity|value|leverage)\b|order size must be set|invalid size field|must be positive for/i,
    'size_invalid',
    'Give exactly one of leverage, value and quantity.',
  ],
  [
    /must have a valid|must set limit_price|limit price must be|must be (greater than|less than|above|>|<)|is not supported for limit/i,
    'terms_invalid',
    'The prices of the order are invalid for its type; check them.',
  ],
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

/**
 * Meaning of an order's rejection text. `undecided`: the text says nothing about the order. `proves`: nothing was done by
 * the attempt that it speaks for; else only the venue's records show whether nothing happened. `endedIt`: that attempt
 * ended the order.
 */
type OrderVerdict = { kind: 'undecided' } | { kind: 'said'; said: Rejected; proves: boolean; endedIt: boolean };

/** Classifies an order's rejection text. A text about exits and an unknown text prove nothing; an empty one is undecided. */
export const classifyOrderText = (text: string): OrderVerdict => {
  if (text.trim() === '' || UNDECIDED.test(text)) return { kind: 'undecided' };
  const rejection = firstMatch(ORDER_REJECTIONS, text);
  const endedIt = CANCELLED_BY_IT.test(text);
  if (rejection === null) return { kind: 'said', said: rejectedInWords(text), proves: false, endedIt };
  const said = rejection.slug === 'cooldown' ? { ...rejection, retryAfterS: secondsToWait(text) } : rejection;
  return { kind: 'said', said, proves: !ABOUT_EXITS.test(text) && !endedIt, endedIt };
};

/**
 * Whether a rejection says that the validator restarts or has not read an account yet. Its records may then lack what an earlier attempt of the same
 * request did, whose response the restart cut off, so absence proves nothing.
 */
export const saysRestarting = ({ slug }: Rejected): boolean =>
  slug === 'venue_syncing' || slug === 'account_initializing';

/** Classifies the text of the miner's own check, which comes before anything is sent. */
export const classifyFormText = (text: string): Rejected => firstMatch(ORDER_REJECTIONS, text) ?? rejectedForForm;

/** Classifies the rejection text of a new subaccount. Null for a text that proves nothing. */
export const classifySubaccountText = (text: string): Rejected | null =>
  text.trim() === '' || UNDECIDED.test(text)
    ? null
    : (firstMatch(SUBACCOUNT_REJECTIONS, text) ?? rejectedForReasonsUnknown);

/** A rejection with an unknown text. */
const rejectedForReasonsUnknown = rejected('rejected_by_venue', 'The venue rejected the request.');
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

/** Tokens of the venue's texts that name an account, an order or a key: long words, and synthetic hotkeys. */
const NAMES = /\[?\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}[\w-]*|[\w-]{24,}|\w+_\d+)\b\]?/gi;
const LONGEST_WORDS = 200;

/** A rejection for a reason that is not known, with the venue's own words without names, markup and line breaks. */
const rejectedInWords = (text: string): Rejected => {
  const words = text
    .replace(/<[^>]*>/g, ' ')
    .replace(NAMES, ' ')
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_WORDS);
  return words === '' ? rejectedForReasonsUnknown : { ...rejectedForReasonsUnknown, words };
};

const secondsToWait = (text: string): number => {
  const seconds = Number(/wait ([\d.]+) seconds?/i.exec(text)?.[1]);
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : USUAL_COOLDOWN_S;
};
