import type { components } from '../contract/types.ts';
import { compare, isPositive, plus } from '../kernel/decimals.ts';

/** A violated rule, in the shape of the contract. */
export type Violation = components['schemas']['TradeValidation']['violations'][number];
/** Whether positions in a pair may be opened, only reduced, or neither. */
type PairState = 'allowed' | 'reduce_only' | 'disabled';

/** A hypothetical order, with amounts as decimals. `price` is null for a market order. */
export type Trade = {
  pair: string;
  side: 'long' | 'short';
  size: string;
  sizeInUsd: boolean;
  price: string | null;
  leverage: number | null;
};

/** A cap on exposure in USD: the current exposure (`held`) and the limit. */
export type Cap = { rule: string; name: string; held: string; limit: string };

/**
 * The facts that the rules check. `opens`: new exposure in USD, 0 for an order that only reduces. A null member means
 * that its rule does not apply: an unknown pair, for example, has no minimum.
 */
export type TradeFacts = {
  pair: { asked: string; state: PairState | null; isOpenToAccount: boolean; successor?: string | null };
  fault: { rule: string; actual: string; message: string } | null;
  minimum: { actual: string; least: string; unit: string } | null;
  account: 'active' | 'suspended' | 'breached';
  drawdowns: { rule: string; current: string; limit: string }[];
  leverage: { asked: string; most: string } | null;
  opens: string;
  /** False: what the order is worth is unknown, so it may violate more rules than these facts show. */
  isPriced: boolean;
  caps: Cap[];
  funds: { needed: string; available: string } | null;
};

/** Facts that violate no rule except that the pair is unknown. */
export const neutralFacts: TradeFacts = {
  pair: { asked: '', state: null, isOpenToAccount: true },
  fault: null,
  minimum: null,
  account: 'active',
  drawdowns: [],
  leverage: null,
  opens: '0',
  isPriced: true,
  caps: [],
  funds: null,
};

/** All rules that the order would violate, in this order: pair, size, account, drawdown, leverage, balance. */
export const violationsOf = (facts: TradeFacts): Violation[] => [
  ...pairViolations(facts),
  ...sizeViolations(facts),
  ...accountViolations(facts),
  ...leverageViolations(facts),
  ...balanceViolations(facts),
];

/** The message to a caller who uses a pair's name of older builds. */
export const successorText = (asked: string, successor: string): string => `${asked} is ${successor} here.`;

/** Violations of the pair rules. */
export function pairViolations({ pair, opens }: Pick<TradeFacts, 'pair' | 'opens'>): Violation[] {
  const { asked, state, isOpenToAccount, successor } = pair;
  const here = successor ? ` ${successorText(asked, successor)}` : '';
  if (state === null) return [violation('pair.unknown', asked, `The venue does not list this pair.${here}`)];
  if (state === 'disabled') return [violation('pair.allowed', state, `This pair may not be traded.${here}`)];
  if (!isOpenToAccount) return [violation('pair.asset_class', asked, 'The account may not trade pairs of this class.')];
  return state === 'reduce_only' && isPositive(opens)
    ? [violation('pair.allowed', state, 'Positions in this pair may only be reduced.')]
    : [];
}

/** Violations of the size rules: invalid amounts, or less than the minimum. */
export function sizeViolations({ fault, minimum }: Pick<TradeFacts, 'fault' | 'minimum'>): Violation[] {
  if (fault) return [violation(fault.rule, fault.actual, fault.message)];
  if (!minimum || compare(minimum.actual, minimum.least) >= 0) return [];
  return [violation('order.minimum', minimum.actual, `The minimum is ${minimum.least} ${minimum.unit}.`)];
}

/** Violations of the account rules: its status and its drawdowns. */
export function accountViolations({ account, drawdowns }: Pick<TradeFacts, 'account' | 'drawdowns'>): Violation[] {
  const status = account === 'active' ? [] : [violation('account.status', account, 'The account may not trade.')];
  const exceeded = drawdowns
    .filter(({ current, limit }) => compare(current, limit) >= 0)
    .map(({ rule, current, limit }) =>
      violation(rule, current, `The account has reached its drawdown limit of ${limit} %.`),
    );
  return [...status, ...exceeded];
}

function leverageViolations({ leverage, opens, caps }: TradeFacts): Violation[] {
  const orderLeverage =
    leverage && compare(leverage.asked, leverage.most) > 0
      ? [violation('leverage.order_max', leverage.asked, `The maximum leverage of this pair is ${leverage.most}.`)]
      : [];
  if (!isPositive(opens)) return orderLeverage;
  const over = caps
    .map((cap) => ({ ...cap, total: plus(cap.held, opens) }))
    .filter(({ total, limit }) => compare(total, limit) > 0)
    .map(({ rule, name, total, limit }) =>
      violation(rule, total, `${name} would exceed ${limit} USD; the venue reduces such an order.`),
    );
  return [...orderLeverage, ...over];
}

function balanceViolations({ funds }: TradeFacts): Violation[] {
  if (!funds || compare(funds.needed, funds.available) <= 0) return [];
  return [violation('balance.insufficient', funds.available, `The order needs ${funds.needed} USD.`)];
}

const violation = (rule: string, actual_value: string, message: string): Violation => ({ rule, actual_value, message });
