import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import type { Reply } from '../http.ts';
import { readAnswer } from './answers.ts';
import { readOrders } from './dashboard.ts';
import { anyOf, entriesOf, type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { readMultiples } from './limits.ts';
import { readPair } from './orders.ts';
import type { OrderBook, TradePair } from './types.ts';

/** Orders grouped by what became of them. Venue facts: validator REST API, all orders. */
export const ordersAnswer = (reply: Reply): Lookup<OrderBook> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const { unfilled, filled, cancelled } = answer.said;
  if (unfilled === undefined && filled === undefined && cancelled === undefined) return unreadable('no orders listed');
  return found({ unfilled: readOrders(unfilled), filled: readOrders(filled), cancelled: readOrders(cancelled) });
};

/**
 * The registry of pairs in its newer shape (`allowed`, `deprecated`, `disabled`) and its older one
 * (`allowed_trade_pairs`). Venue facts: validator REST API, trade-pairs.
 */
export const tradePairsAnswer = (reply: Reply): Lookup<TradePair[]> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const allowed = anyOf(answer.said, 'allowed', 'allowed_trade_pairs');
  if (!Array.isArray(allowed)) return unreadable('no pairs listed');
  return found([
    ...readPairs(allowed, 'allowed'),
    ...readPairs(answer.said.deprecated, 'reduce_only'),
    ...readPairs(answer.said.disabled, 'disabled'),
  ]);
};

const readPairs = (value: unknown, state: TradePair['state']): TradePair[] =>
  (entriesOf(value) ?? []).flatMap(([, member]) => {
    const pair = fieldsOf(member);
    const tradePair = pair && readPair(pair.trade_pair_id);
    return pair && tradePair ? pairOf(pair, tradePair, state) : [];
  });

const pairOf = (pair: Fields, tradePair: string, state: TradePair['state']): TradePair => ({
  tradePair,
  display: textOf(pair.trade_pair) ?? tradePair,
  category: textOf(pair.trade_pair_category) ?? 'unknown',
  source: textOf(pair.trade_pair_source),
  state,
  maxLeverage: numberOf(pair.max_leverage),
  exCoin: textOf(pair.hl_coin),
  leverageByTier: readMultiples(pair.standard_positional_leverage_by_tier),
});
