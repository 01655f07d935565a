import type { DashboardOrder, Signal } from '../adapters/netvenue/types.ts';
import type { components } from '../contract/types.ts';
import type { Terms } from './rules.ts';

type Protection = components['schemas']['VantaTpSlRequest'];

/** The signal that places an order under its own uuid. */
export const placing = (orderUuid: string, subaccountId: number, terms: Terms): Signal => ({
  ...wholeOrder(terms),
  execution_type: terms.execution_type,
  order_uuid: orderUuid,
  subaccount_id: subaccountId,
});

/** The signal that makes a resting order stand at these terms: the network wants the whole order, not the change. */
export const editing = (target: string, subaccountId: number, terms: Terms): Signal => ({
  ...wholeOrder(terms),
  execution_type: 'LIMIT_EDIT',
  order_uuid: target,
  subaccount_id: subaccountId,
});

const wholeOrder = ({ execution_type: _, ...terms }: Terms) =>
  terms as Omit<Signal, 'execution_type' | 'order_uuid' | 'subaccount_id'>;

/** The signal that cancels a resting order. */
export const cancelling = (target: string, subaccountId: number, pair: string): Signal => ({
  execution_type: 'LIMIT_CANCEL',
  order_uuid: target,
  subaccount_id: subaccountId,
  trade_pair: pair,
});

/**
 * The signal that closes one position. Builds before mid-2026 read a FLAT_ALL as "everything of the subaccount", whatever its uuid:
 * for those, `market_flat` closes by MARKET + FLAT instead, which is precise on every build.
 */
export function closing(
  style: 'flat_all' | 'market_flat',
  {
    intentId,
    positionUuid,
    subaccountId,
    pair,
  }: { intentId: string; positionUuid: string; subaccountId: number; pair: string },
): Signal {
  const common = { subaccount_id: subaccountId, trade_pair: pair };
  return style === 'flat_all'
    ? { ...common, execution_type: 'FLAT_ALL', order_uuid: positionUuid }
    : { ...common, execution_type: 'MARKET', order_type: 'FLAT', order_uuid: intentId };
}

/** What a protecting order stands at, as an order of ours. */
export const bracketTerms = (protection: Protection): Terms => ({
  ...protection,
  order_type: 'FLAT',
  execution_type: 'BRACKET',
});

/**
 * The signal that protects a position. With brackets there already, the largest is edited in place and the others fall away in the
 * same signal, so the position is never without protection; where it covers less than what is held, it grows to that.
 */
export function protecting(
  intentId: string,
  subaccountId: number,
  protection: Protection,
  replaced: { brackets: Pick<DashboardOrder, 'uuid' | 'quantity'>[]; held: number | null },
): Signal {
  const terms = bracketTerms(protection);
  const [first, ...others] = [...replaced.brackets].sort((a, b) => covered(b) - covered(a));
  if (!first) return placing(intentId, subaccountId, terms);
  const { trailing_stop, ...prices } = terms;
  const grown = replaced.held !== null && covered(first) < replaced.held && { quantity: replaced.held };
  const entry = { ...pick(prices, ['stop_loss', 'take_profit']), ...trailing_stop, ...grown };
  return {
    execution_type: 'LIMIT_EDIT',
    order_type: 'FLAT',
    trade_pair: terms.trade_pair,
    order_uuid: first.uuid,
    subaccount_id: subaccountId,
    bracket_orders: [{ order_uuid: first.uuid, ...entry }, ...others.map(({ uuid }) => ({ order_uuid: uuid }))],
  };
}

/** What a bracket covers; one whose size is not shown covers everything. */
const covered = ({ quantity }: Pick<DashboardOrder, 'quantity'>) =>
  quantity === null ? Number.POSITIVE_INFINITY : Math.abs(quantity);

const pick = <T extends object, K extends keyof T>(from: T, names: K[]) =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Partial<
    Pick<T, K>
  >;
