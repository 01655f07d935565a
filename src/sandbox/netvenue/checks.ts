import { type Asked, type Exits, invalid, MalformedSignal } from './signal.ts';

/**
 * Refuses a signal whose members do not fit its command. Venue facts: miner REST API, submit-order, request.
 */
export const checkSignal = (asked: Asked, isKnownPair: (pair: string) => boolean): void => {
  const { execution, pair } = asked;
  if (execution === 'LIMIT_CANCEL' || execution === 'FLAT_ALL') return;
  if (pair === null || !isKnownPair(pair)) throw new MalformedSignal(`Invalid trade pair: ${pair}`);
  if (execution === 'MARKET') checkMarket(asked);
  if (execution === 'LIMIT' || execution === 'STOP_LIMIT') checkResting(asked);
  if (execution === 'BRACKET') checkExits(asked);
  // An edit may name a bracket without prices, which cancels it.
  for (const bracket of asked.brackets) if (bracket.uuid === null) checkExits(bracket);
};

const checkMarket = ({ side, size }: Asked) => {
  if (side === null) throw invalid('order_type is required');
  if (side !== 'FLAT' && size === null) throw invalid('must provide exactly one of: leverage, value, or quantity');
};

const checkResting = (asked: Asked) => {
  const { execution, side, limitPrice, stopPrice, stopCondition } = asked;
  checkMarket(asked);
  if (side === 'FLAT') throw invalid('FLAT is not supported for limit orders');
  if (limitPrice === null) throw invalid('limit_price is required');
  if (execution === 'STOP_LIMIT' && stopPrice === null) throw invalid('stop_price is required');
  if (execution === 'STOP_LIMIT' && stopCondition === null) throw invalid('stop_condition is required');
  if (!fitsAround(asked, side === 'LONG', limitPrice))
    throw invalid('stop_loss and take_profit must surround limit_price');
};

/** Refuses exits that say nothing or contradict each other. */
const checkExits = ({ stopLoss, takeProfit, trailing }: Exits): void => {
  if (stopLoss === null && takeProfit === null && trailing === null) {
    throw invalid('Bracket order must specify at least one of stop_loss, take_profit or trailing_stop');
  }
  if (stopLoss !== null && stopLoss === takeProfit) throw invalid('Bracket order must specify different prices');
};

/** LONG: stop-loss below and take-profit above the price; SHORT the reverse. A trailing stop replaces the stop-loss check. */
export const fitsAround = ({ stopLoss, takeProfit, trailing }: Exits, long: boolean, price: number): boolean => {
  const above = (exit: number) => (long ? exit > price : exit < price);
  const stopFits = stopLoss === null || trailing !== null || (!above(stopLoss) && stopLoss !== price);
  return stopFits && (takeProfit === null || above(takeProfit));
};
