import { type Exits, invalid, MalformedSignal, type Requested } from './signal.ts';

/**
 * Throws `MalformedSignal` if members are missing or invalid for the command. See venues/network.md#submit-order.
 */
export const checkSignal = (requested: Requested, isKnownPair: (pair: string) => boolean): void => {
  const { execution, pair } = requested;
  if (execution === 'LIMIT_CANCEL' || execution === 'FLAT_ALL') return;
  if (pair === null || !isKnownPair(pair)) throw new MalformedSignal(`Invalid trade pair: ${pair}`);
  if (execution === 'MARKET') checkMarket(requested);
  if (execution === 'LIMIT' || execution === 'STOP_LIMIT') checkResting(requested);
  if (execution === 'BRACKET') checkExits(requested);
  // An edit may contain a bracket uuid without prices, which cancels that bracket.
  for (const bracket of requested.brackets) if (bracket.uuid === null) checkExits(bracket);
};

const checkMarket = ({ side, size }: Requested) => {
  if (side === null) throw invalid('order_type is required');
  if (side !== 'FLAT' && size === null) throw invalid('must provide exactly one of: leverage, value, or quantity');
};

const checkResting = (requested: Requested) => {
  const { execution, side, limitPrice, stopPrice, stopCondition } = requested;
  checkMarket(requested);
  if (side === 'FLAT') throw invalid('FLAT is not supported for limit orders');
  if (limitPrice === null) throw invalid('limit_price is required');
  if (execution === 'STOP_LIMIT' && stopPrice === null) throw invalid('stop_price is required');
  if (execution === 'STOP_LIMIT' && stopCondition === null) throw invalid('stop_condition is required');
  if (!fitsAround(requested, side === 'LONG', limitPrice))
    throw invalid('stop_loss and take_profit must surround limit_price');
};

/** Rejects exits without any price, or with equal prices. */
const checkExits = ({ stopLoss, takeProfit, trailing }: Exits): void => {
  if (stopLoss === null && takeProfit === null && trailing === null) {
    throw invalid('Bracket order must specify at least one of stop_loss, take_profit or trailing_stop');
  }
  if (stopLoss !== null && stopLoss === takeProfit) throw invalid('Bracket order must specify different prices');
};

/**
 * LONG: stop-loss below and take-profit above the price; SHORT: the reverse. With a trailing stop the stop-loss is not
 * checked.
 */
export const fitsAround = ({ stopLoss, takeProfit, trailing }: Exits, long: boolean, price: number): boolean => {
  const above = (exit: number) => (long ? exit > price : exit < price);
  const stopFits = stopLoss === null || trailing !== null || (!above(stopLoss) && stopLoss !== price);
  return stopFits && (takeProfit === null || above(takeProfit));
};
