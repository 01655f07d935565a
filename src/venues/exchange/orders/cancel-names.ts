import type { NotReady } from '../../../intents/define.ts';
import { coinOf } from '../../../kernel/exchange-names.ts';
import type { OrderUuid, OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { doubtMsOf } from '../signing/sign.ts';
import { type ExchangeDeps, IN_DOUBT } from './calls.ts';
import type { ClosedOrder } from './cancel-result.ts';
import { listNamedOrders, type NamedOrder } from './queries.ts';

type NameDeps = Pick<ExchangeDeps, 'db' | 'config'>;

/** The orders to cancel, by the exchange's numbers or by this service's ids. `coin`: of all of them, if it is known that they were placed. */
export type OrderNames = { oids: number[]; orderIds: OrderUuid[]; coin?: string | undefined };

/** What the names stand for. `known`: our records of the orders with these numbers. `closed`: orders that have ended or never were. */
export type Named = { oids: number[]; known: Map<number, NamedOrder>; closed: ClosedOrder[] };

/**
 * Finds what names of orders stand for by our records. Ids of another owner, and of another wallet, are unknown. Waits while the placement of an
 * order is pending or in doubt, so that its cancellation is executed after it. Fails with V1_ORDER_IN_DOUBT if the doubt has lasted long: it may be
 * permanent, and others wait behind this.
 */
export async function resolveNames(
  deps: NameDeps,
  { owner, wallet }: { owner: OwnerId; wallet: WalletAddress },
  { oids, orderIds }: OrderNames,
): Promise<Named | NotReady> {
  const ours = await listNamedOrders(deps.db, { owner, wallet, oids, orderIds });
  const pending = ours.filter(({ isPending }) => isPending);
  if (pending.some(({ sentAgoMs }) => (sentAgoMs ?? 0) <= doubtMsOf(deps))) return IN_DOUBT;
  if (pending.length > 0) return { fail: IN_DOUBT.wait };
  const numbered = ours.filter((order) => order.oid !== null);
  const byId = new Map<OrderUuid, NamedOrder>(
    ours.flatMap((order) => [
      [order.id, order],
      [order.name, order],
    ]),
  );
  const unplaced = orderIds.filter((id) => byId.get(id)?.oid == null);
  return {
    oids: [...new Set([...oids, ...numbered.map(({ oid }) => Number(oid))])],
    known: new Map(numbered.map((order) => [Number(order.oid), order])),
    closed: unplaced.map((orderId) => ({ oid: null, orderId, coin: coinOfOrNull(byId.get(orderId)) })),
  };
}

const coinOfOrNull = (order: NamedOrder | undefined): string | null => (order ? coinOf(order.pair) : null);
