import type { Entry } from '../../src/sandbox/ledger.ts';
import { ENTITY, KEYS, type TestService } from '../support/service.ts';
import { FILLS } from './network-steps.ts';

/** Members of an order as the network lists it. */
export type VenueOrder = {
  order_uuid: string;
  trade_pair_id: string;
  execution_type: string;
  quantity: number;
  limit_price: number | null;
  stop_loss: number | null;
  take_profit: number | null;
  bracket_orders: { stop_loss: number | null; take_profit: number | null }[] | null;
};
type Listed = Record<'unfilled' | 'filled' | 'cancelled', VenueOrder[]>;
type DashboardBody = { dashboard: { positions?: { positions: Record<string, VenuePosition> }; elimination?: object } };
type VenuePosition = { tp: string; c: number; fo: Record<string, object> };

/** What truly became of an order. `none`: the network never had it. */
export type OrderTruth = {
  lifecycle: 'filled' | 'resting' | 'cancelled' | 'ended' | 'none';
  fills: Entry[];
  order: VenueOrder | undefined;
};

/** A number without the residue of sums. */
export const rounded = (value: unknown): number => Number(Number(value).toPrecision(6)) || 0;

const sumOf = (fills: readonly Entry[], of: (detail: Entry['detail']) => number) =>
  fills.reduce((sum, { detail }) => sum + of(detail), 0);

export const quantityOf = (fills: readonly Entry[]): number =>
  rounded(sumOf(fills, ({ quantity }) => Number(quantity)));

export const priceOf = (fills: readonly Entry[]): number =>
  rounded(
    sumOf(fills, ({ quantity, price }) => Number(quantity) * Number(price)) /
      sumOf(fills, ({ quantity }) => Number(quantity)),
  );

/** All that happened at the network to a trader's orders and positions: its ledger of effects, and its lists. */
export async function truthOf({ miner }: Pick<TestService, 'miner'>, traderId: string) {
  const ask = async <Shape>(path: string): Promise<Shape | null> => {
    const headers = { Authorization: `Bearer ${KEYS.validatorKey}` };
    const response = await fetch(`${miner.validatorUrl}${path}${ENTITY}_${traderId}`, { headers });
    return response.ok ? ((await response.json()) as Shape) : null; // as: the venue's own words
  };
  const listed: Listed = { unfilled: [], filled: [], cancelled: [], ...(await ask<Listed>('/orders/')) };
  const shown = await ask<DashboardBody>('/v2/entity/subaccount/');
  const dashboard = shown?.dashboard;
  const positions: Record<string, VenuePosition> = dashboard?.positions?.positions ?? {};
  const isEliminated = dashboard?.elimination !== undefined;
  const entries = miner.ledger.entries().filter(({ subaccount_id }) => subaccount_id === Number(traderId));
  const fills = entries.filter(({ kind }) => FILLS.has(kind));
  const namesOf = (id: string) => [id, `${id}-limit`];

  function ofOrder(id: string): OrderTruth {
    const names = namesOf(id);
    const among = (orders: VenueOrder[]) => orders.findLast(({ order_uuid }) => names.includes(order_uuid));
    const own = fills.filter(({ key }) => names.includes(key));
    const { unfilled, filled, cancelled } = listed;
    const [executed, resting, ended] = [among(filled), among(unfilled), among(cancelled)];
    const was = entries.some(({ key }) => names.includes(key));
    if (own.length > 0) return { lifecycle: 'filled', fills: own, order: executed };
    if (resting) return { lifecycle: 'resting', fills: own, order: resting };
    if (ended) return { lifecycle: 'cancelled', fills: own, order: ended };
    return { lifecycle: !was ? 'none' : isEliminated ? 'cancelled' : 'ended', fills: own, order: undefined };
  }

  const heldIn = (pair: string): number => quantityOf(fills.filter((fill) => fill.pair === pair));

  /** The exits that live in a pair. */
  const exitsIn = (pair: string) =>
    listed.unfilled.filter((order) => order.trade_pair_id === pair && order.execution_type === 'BRACKET');

  /** Whether a position is open that began with this order. */
  const isOpen = (uuid: string): boolean => positions[uuid]?.c === 0;

  return { entries, fills, listed, positions, isEliminated, ofOrder, heldIn, exitsIn, isOpen };
}

export type NetworkTruth = Awaited<ReturnType<typeof truthOf>>;
