import type { components } from '../../contract/types.ts';
import { compare, isPositive, plus, times } from '../../kernel/decimals.ts';

export type Violation = components['schemas']['TradeValidation']['violations'][number];
type PairState = 'allowed' | 'reduce_only' | 'disabled';

/** A cap on exposure in USD: what is held below it already, and where it ends. */
export type Cap = { rule: string; name: string; held: string; limit: string };

/**
 * Everything an order is judged by. `opens`: USD of new exposure, 0 for what only reduces. A null member is a question that
 * does not arise: unknown pairs have no minimum, wallets the network does not follow no drawdown.
 */
export type TradeFacts = {
  pair: { asked: string; state: PairState | null; isOpenToAccount: boolean };
  fault: { rule: string; actual: string; message: string } | null;
  minimum: { actual: string; least: string; unit: string } | null;
  account: 'active' | 'suspended' | 'breached';
  drawdowns: { rule: string; current: string; limit: string }[];
  leverage: { asked: string; most: string } | null;
  opens: string;
  caps: Cap[];
  funds: { needed: string; available: string } | null;
};

/** Every rule the order would break, the gravest kind first: pair, size, account, drawdown, leverage, balance. */
export const violationsOf = (facts: TradeFacts): Violation[] => [
  ...pairViolations(facts),
  ...sizeViolations(facts),
  ...accountViolations(facts),
  ...leverageViolations(facts),
  ...balanceViolations(facts),
];

/** What is wrong with the pair itself. */
export function pairViolations({ pair, opens }: Pick<TradeFacts, 'pair' | 'opens'>): Violation[] {
  const { asked, state, isOpenToAccount } = pair;
  if (state === null) return [broken('pair.unknown', asked, 'The venue does not list this pair.')];
  if (state === 'disabled') return [broken('pair.allowed', state, 'This pair may not be traded.')];
  if (!isOpenToAccount) return [broken('pair.asset_class', asked, 'The account may not trade pairs of this class.')];
  return state === 'reduce_only' && isPositive(opens)
    ? [broken('pair.allowed', state, 'Positions in this pair may only be reduced.')]
    : [];
}

/** Whether the order is too small, or its amounts do not fit. */
export function sizeViolations({ fault, minimum }: Pick<TradeFacts, 'fault' | 'minimum'>): Violation[] {
  if (fault) return [broken(fault.rule, fault.actual, fault.message)];
  if (!minimum || compare(minimum.actual, minimum.least) >= 0) return [];
  return [broken('order.minimum', minimum.actual, `The least is ${minimum.least} ${minimum.unit}.`)];
}

/** Whether the account may trade at all. */
export function accountViolations({ account, drawdowns }: Pick<TradeFacts, 'account' | 'drawdowns'>): Violation[] {
  const status = account === 'active' ? [] : [broken('account.status', account, 'The account may not trade.')];
  const fallen = drawdowns
    .filter(({ current, limit }) => compare(current, limit) >= 0)
    .map(({ rule, current, limit }) => broken(rule, current, `The account has fallen by the ${limit} % it may fall.`));
  return [...status, ...fallen];
}

function leverageViolations({ leverage, opens, caps }: TradeFacts): Violation[] {
  const asked =
    leverage && compare(leverage.asked, leverage.most) > 0
      ? [
          broken(
            'leverage.order_max',
            leverage.asked,
            `The venue gives this pair a leverage of ${leverage.most} at most.`,
          ),
        ]
      : [];
  if (!isPositive(opens)) return asked;
  const over = caps
    .map((cap) => ({ ...cap, wanted: plus(cap.held, opens) }))
    .filter(({ wanted, limit }) => compare(wanted, limit) > 0)
    .map(({ rule, name, wanted, limit }) =>
      broken(rule, wanted, `${name} would exceed ${limit} USD; the venue makes such an order smaller.`),
    );
  return [...asked, ...over];
}

function balanceViolations({ funds }: TradeFacts): Violation[] {
  if (!funds || compare(funds.needed, funds.available) <= 0) return [];
  return [broken('balance.insufficient', funds.available, `The order needs ${funds.needed} USD.`)];
}

const broken = (rule: string, actual_value: string, message: string): Violation => ({ rule, actual_value, message });

/** Base units of one lot of currencies. Venue facts: lot size. */
const LOT = '100000';

/** What a quantity of a pair of the network is worth in USD; null where that takes a price nobody has. */
export function valuePerUnit(pair: { tradePair: string; category: string }, price: string | null): string | null {
  if (pair.category !== 'forex') return price;
  if (pair.tradePair.startsWith('USD')) return LOT;
  return price !== null && pair.tradePair.endsWith('USD') ? times(price, LOT) : null;
}

/** The least a position in a pair of the network may be. Venue facts: minimum position. */
export function leastOf(category: string, accountSize: number): { least: string; unit: 'lots' | 'shares' | 'USD' } {
  if (category === 'forex') return { least: accountSize <= SMALL_ACCOUNT_USD ? '0.0001' : '0.01', unit: 'lots' };
  return category === 'equities' ? { least: '0.01', unit: 'shares' } : { least: '10', unit: 'USD' };
}

const SMALL_ACCOUNT_USD = 10_000;
