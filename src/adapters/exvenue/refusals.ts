import { type Rejected, rejected } from '../../kernel/answer.ts';

type Refusal = readonly [text: RegExp, slug: string, message: string];

/**
 * What the venue says of one item. Its texts are often followed by ` asset=<n>`, so only their beginnings are held against
 * it. Venue facts: error responses.
 */
const ITEM_REFUSALS: readonly Refusal[] = [
  [/^Price must be divisible by tick size/i, 'tick_size', 'The price does not lie on the price steps of this asset.'],
  [/^Order must have minimum value/i, 'below_minimum', 'The order is worth less than the venue accepts.'],
  [/^Insufficient margin/i, 'insufficient_margin', 'The account has not enough margin for this order.'],
  [/^Reduce only order would increase/i, 'reduce_only', 'A reduce-only order must make a position smaller.'],
  [
    /^Post only order would have/i,
    'post_only_would_match',
    'The order would have been filled at once, and must not be.',
  ],
  [/^Order could not immediately match/i, 'no_match', 'Nothing in the book matched the order at its price.'],
  [/^Invalid TP\/SL price/i, 'bad_trigger_price', 'The trigger price lies on the wrong side of the market.'],
  [/^No liquidity available/i, 'no_liquidity', 'The book has nothing to fill this order.'],
  [/open interest/i, 'open_interest_cap', 'The open interest of this asset is at its limit.'],
  [/^Order price too far from oracle/i, 'price_too_far', 'The price is too far from the market.'],
  [/^Order price cannot be more than/i, 'price_too_far', 'The price is too far from the market.'],
  [/margin tier limit/i, 'position_limit', 'The position would be too large for its leverage.'],
  [/insufficient spot balance/i, 'insufficient_balance', 'The spot balance does not cover this order.'],
  [/^Order has invalid price/i, 'invalid_price', 'The venue takes no order at this price.'],
  [/^Order has (invalid|zero) size/i, 'invalid_size', 'The venue takes no order of this size.'],
  [/^Order was never placed, already canceled, or filled/i, 'order_gone', 'No such order is open any more.'],
  [/^Cannot modify canceled or filled order/i, 'order_gone', 'No such order is open any more.'],
  [/^Too many open orders/i, 'too_many_open_orders', 'The account has as many open orders as it may.'],
];

/** What the venue says of a whole action, sometimes after `L1 error: `. Venue facts: error responses, rate limits, nonces. */
const ACTION_REFUSALS: readonly Refusal[] = [
  [
    /^User or API Wallet .*does not exist/i,
    'key_not_authorized',
    'The venue does not let this key trade for the account.',
  ],
  [/^Must deposit before/i, 'not_deposited', 'The account has never received a deposit.'],
  [/^Invalid nonce: duplicate/i, 'duplicate_nonce', 'An action of this number was executed before.'],
  [/^Invalid nonce/i, 'invalid_nonce', 'The venue does not take an action of this number.'],
  [/^Too many cumulative requests/i, 'action_budget', 'The account has used up its budget of actions.'],
  [/over weight limit/i, 'over_weight', 'The action holds more items than the venue accepts.'],
  [/^Only post-only orders allowed/i, 'post_only_period', 'For a while the venue takes orders only that rest.'],
  [/^Vault not registered/i, 'vault_unknown', 'The venue does not know this vault.'],
];

/** Venue facts: with the budget used up, one action every ten seconds. */
const ACTION_PAUSE_S = 10;

/** The no to one item: definite whatever it says. Never passes the text on. */
export const judgeItemText = (text: string): Rejected => firstMatch(ITEM_REFUSALS, text) ?? refusedForReasonsUnknown;

/** The no to a whole action; null where the text is unknown, which proves nothing. */
export const judgeActionText = (text: string): Rejected | null => {
  const said = text.replace(/^L1 error: /i, '');
  const refusal = firstMatch(ACTION_REFUSALS, said) ?? firstMatch(ITEM_REFUSALS, said);
  return refusal?.slug === 'action_budget' ? { ...refusal, retryAfterS: ACTION_PAUSE_S } : refusal;
};

const refusedForReasonsUnknown = rejected('rejected_by_venue', 'The venue refused the request.');
export const refusedForForm = rejected('bad_request', 'The venue refused the form of the request.');
export const refusedForRate = (retryAfterS: number): Rejected =>
  rejected('rate_limited', 'The venue takes no more requests from us for the moment.', retryAfterS);

/** Words under which a rejected order is recorded, by the slug its text has. Venue facts: order statuses. */
const REJECTED_WORDS: Record<string, string> = {
  tickRejected: 'Price must be divisible by tick size.',
  minTradeNtlRejected: 'Order must have minimum value of $10.',
  perpMarginRejected: 'Insufficient margin to place order.',
  reduceOnlyRejected: 'Reduce only order would increase position.',
  badAloPxRejected: 'Post only order would have immediately matched',
  iocCancelRejected: 'Order could not immediately match against any resting orders.',
  badTriggerPxRejected: 'Invalid TP/SL price.',
  marketOrderNoLiquidityRejected: 'No liquidity available for market order.',
  positionIncreaseAtOpenInterestCapRejected: 'open interest',
  positionFlipAtOpenInterestCapRejected: 'open interest',
  tooAggressiveAtOpenInterestCapRejected: 'open interest',
  openInterestIncreaseRejected: 'open interest',
  insufficientSpotBalanceRejected: 'insufficient spot balance',
  oracleRejected: 'Order price too far from oracle',
  perpMaxPositionRejected: 'margin tier limit',
  tooManyOpenOrdersRejected: 'Too many open orders',
};

/** The same slug and sentence for an order found rejected later as for one refused at once. */
export const judgeWord = (word: string): Rejected => judgeItemText(REJECTED_WORDS[word] ?? '');

const firstMatch = (refusals: readonly Refusal[], text: string): Rejected | null => {
  const match = refusals.find(([pattern]) => pattern.test(text));
  return match ? rejected(match[1], match[2]) : null;
};
