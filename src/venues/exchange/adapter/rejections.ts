import { type Rejected, rejected } from '../../../kernel/upstream-result.ts';

type KnownRejection = readonly [text: RegExp, slug: string, message: string];

/**
 * The venue's texts about one item. They often end in ` asset=<n>`, so the patterns do not match the end.
 * See venues/exchange.md#errors.
 */
const ITEM_REJECTIONS: readonly KnownRejection[] = [
  [
    /^Price must be divisible by tick size/i,
    'tick_size',
    'The price is not a multiple of the price step of this asset.',
  ],
  [
    /^Order must have minimum value/i,
    'below_minimum',
    'The value of the order, or of one of its exits, is below the minimum of the venue.',
  ],
  [/^Order value too large/i, 'above_maximum', 'The value of the order is above the maximum of the venue.'],
  [/^Insufficient margin/i, 'insufficient_margin', 'The account does not have enough margin for this order.'],
  [/^Reduce only order would increase/i, 'reduce_only', 'A reduce-only order must reduce a position.'],
  [/^Post only order would have/i, 'post_only_would_match', 'A post-only order must not be filled at once.'],
  [/^Order could not immediately match/i, 'no_match', 'Nothing in the book matched the order at its price.'],
  [/^Invalid TP\/SL price/i, 'bad_trigger_price', 'The trigger price is on the wrong side of the market.'],
  [/^No liquidity available/i, 'no_liquidity', 'The book has nothing to fill this order.'],
  [/open interest/i, 'open_interest_cap', 'The open interest of this asset is at its limit.'],
  [/^Order price too far from oracle/i, 'price_too_far', 'The price is too far from the market.'],
  [/^Order price cannot be more than/i, 'price_too_far', 'The price is too far from the market.'],
  [/margin tier limit|maximum position size/i, 'position_limit', 'The position would be too large for its leverage.'],
  [/^Price too far from oracle/i, 'price_too_far', 'The price is too far from the market.'],
  [/insufficient spot balance/i, 'insufficient_balance', 'The spot balance does not cover this order.'],
  [/^Order has invalid price/i, 'invalid_price', 'The venue does not accept an order at this price.'],
  [/^Order has (invalid|zero) size/i, 'invalid_size', 'The venue does not accept an order of this size.'],
  [/^Order was never placed, already canceled, or filled/i, 'order_gone', 'No such order is open any more.'],
  [/^Cannot modify canceled or filled order/i, 'order_gone', 'No such order is open any more.'],
  [/^Trading is halted/i, 'trading_halted', 'The venue has stopped trading in this asset.'],
  [/^Too many open orders/i, 'too_many_open_orders', 'The account has reached its maximum number of open orders.'],
];

/**
 * The venue's texts about a whole action, sometimes after `L1 error: `. See venues/exchange.md#rate-limits.
 */
const ACTION_REJECTIONS: readonly KnownRejection[] = [
  [
    /^User or API Wallet .*does not exist/i,
    'key_not_authorized',
    'The venue does not let this key trade for the account.',
  ],
  [
    /^Must deposit before/i,
    'not_deposited',
    'The account has never received a deposit, or the venue no longer lets this key trade for it.',
  ],
  [/^Invalid nonce: duplicate/i, 'duplicate_nonce', 'An action with this nonce was executed before.'],
  [/^Invalid nonce/i, 'invalid_nonce', 'The venue does not accept this nonce.'],
  [/^Too many cumulative requests/i, 'action_budget', 'The account has used up its budget of actions.'],
  [/over weight limit/i, 'over_weight', 'The action holds more items than the venue accepts.'],
  [/^Only post-only orders allowed/i, 'post_only_period', 'The venue currently accepts post-only orders only.'],
  [/^Vault not registered/i, 'vault_unknown', 'The venue does not know this vault.'],
  [/^Invalid leverage value/i, 'invalid_leverage', 'The venue does not allow this leverage for the asset.'],
  [/^Cross margin is not allowed/i, 'cross_not_allowed', 'The asset can only be traded with isolated margin.'],
  [
    /^Cannot switch leverage type/i,
    'margin_mode_in_use',
    'Cross and isolated margin cannot be switched while a position is open.',
  ],
  [
    /does not have sufficient margin available to decrease leverage/i,
    'insufficient_margin',
    'The account does not have enough margin for this leverage.',
  ],
  [/^Unable to recover signer/i, 'bad_signature', 'The venue could not read the signature.'],
  [
    /^Action disabled when unified account/i,
    'account_mode',
    'The venue does not allow this action in the mode of the account.',
  ],
];

/** See venues/exchange.md#rate-limits. */
const ACTION_PAUSE_S = 10;

/** Classifies the rejection text of one item. Every text is a definite rejection. Never passes the text on. */
export const classifyItemText = (text: string): Rejected =>
  firstMatch(ITEM_REJECTIONS, text) ?? rejectedForReasonsUnknown;

/**
 * Texts of a venue that could not finish its work, or of a proxy before it. They prove nothing about the action. With
 * every other text the venue has rejected an action that it has read, and did nothing.
 */
const NOT_DECIDED = /time[ds]? ?-?out|timeout|internal|unavailable|overload|upstream|gateway|try again|unknown error/i;

/** Classifies the rejection text of a whole action. Null for a text that decides nothing. */
export const classifyActionText = (text: string): Rejected | null => {
  const data = text.replace(/^L1 error: /i, '');
  const rejection = firstMatch(ACTION_REJECTIONS, data) ?? firstMatch(ITEM_REJECTIONS, data);
  if (rejection?.slug === 'action_budget') return { ...rejection, retryAfterS: ACTION_PAUSE_S };
  const address = /0x[0-9a-f]{40}\b/i.exec(data)?.[0].toLowerCase();
  if (rejection && address !== undefined) return { ...rejection, address };
  return rejection ?? (data === '' || NOT_DECIDED.test(data) ? null : rejectedForReasonsUnknown);
};

/** Whether a text says that the signed bytes arrived after their expiry. Nothing was done. */
export const saysExpired = (text: string): boolean => /^Action (already )?expired/i.test(text);

const rejectedForReasonsUnknown = rejected('rejected_by_venue', 'The venue rejected the request.');
/** A rejection of the request's format. */
export const rejectedForForm = rejected('bad_request', 'The venue rejected the request as malformed.');
/** A rejection by the venue's rate limit. */
export const rejectedForRate = (retryAfterS: number): Rejected =>
  rejected('rate_limited', 'The venue currently accepts no more requests from this service.', retryAfterS);

/** The text that corresponds to each recorded status of a rejected order. See venues/exchange.md#order-statuses. */
const TEXT_OF_STATUS: Record<string, string> = {
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

/** The rejection for a recorded status: the same slug and message as for an order that is rejected at once. */
export const classifyStatus = (status: string): Rejected => classifyItemText(TEXT_OF_STATUS[status] ?? '');

const firstMatch = (rejections: readonly KnownRejection[], text: string): Rejected | null => {
  const match = rejections.find(([pattern]) => pattern.test(text));
  return match ? rejected(match[1], match[2]) : null;
};
