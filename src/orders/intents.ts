import type { components } from '../contract/types.ts';
import type { Accept, Accepted, Offer } from '../intents/accept.ts';
import { newIntentId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusals.ts';
import { termsOf, unfit } from './rules.ts';

type Schemas = components['schemas'];

/** An order verb for one trader of the network, as `accept_network_orders` takes it. */
export type NetworkOffer = Offer & { trader: string; pair: string; target?: string; terms?: object };

/** What an edit asks, as its task reads it. */
export type EditAsked = {
  target: string;
  changes: Schemas['VantaEditOrderRequest'];
  trader: string;
  subaccount_id: number;
};

/** What new protection asks, as its task reads it. */
export type ProtectAsked = { protection: Schemas['VantaTpSlRequest']; trader: string; subaccount_id: number };

/** Who asks, for which trader, and how the answer is to be found again. */
export type Asking = {
  accept: Accept<NetworkOffer>;
  asking: { owner: string; digest: string; request_id: string; idempotency_key?: string };
  subaccountId: number;
  entityHotkey: string;
  deadlineMs: number;
};

/** Accepts an order durably: intent, order and job in one transaction. The caller's own uuid, if given, names it. */
export const placeOrder = (who: Asking, order: Schemas['NetvenueOrderRequest']): Promise<Accepted> => {
  const terms = termsOf(order);
  const fault = unfit(terms);
  if (fault) throw new Refusal('V1_PRICES_UNFIT', { message: fault });
  return offer(who, 'orders/place', order.trade_pair, { id: order.order_uuid, terms }, { terms });
};

/** Accepts the cancellation of one of the trader's orders. */
export const cancelOrder = (who: Asking, target: string, pair: string): Promise<Accepted> =>
  offer(who, 'orders/cancel', pair, { target }, { target });

/** Accepts changes to one of the trader's resting orders. They are merged when they are sent, in the order of acceptance. */
export const editOrder = (who: Asking, target: string, changes: Schemas['VantaEditOrderRequest']): Promise<Accepted> =>
  offer(who, 'orders/edit', changes.trade_pair, { target }, { target, changes });

/** Accepts the closing of whatever position is open in a pair when its turn comes; with a uuid only of that one. */
export const closePosition = (who: Asking, pair: string, positionUuid?: string): Promise<Accepted> =>
  offer(who, 'orders/close', pair, {}, { trade_pair: pair, ...(positionUuid && { position_uuid: positionUuid }) });

/** Accepts new protection for the position in a pair. */
export const protectPosition = (who: Asking, protection: Schemas['VantaTpSlRequest']): Promise<Accepted> =>
  offer(who, 'orders/protect', protection.trade_pair, {}, { protection });

function offer(
  { accept, asking, subaccountId, entityHotkey, deadlineMs }: Asking,
  kind: string,
  pair: string,
  noun: { id?: string | undefined; target?: string; terms?: object },
  asked: Record<string, unknown>,
): Promise<Accepted> {
  const trader = `${entityHotkey}_${subaccountId}`;
  return accept(
    {
      ...asking,
      ...noun,
      id: noun.id?.toLowerCase() ?? newIntentId(),
      kind,
      trader,
      pair,
      lane: `netvenue:${trader}:${pair}`,
      asked: { ...asked, trader, subaccount_id: subaccountId },
      deadline_s: deadlineMs / 1000,
    },
    refusalOfVerdict,
  );
}

function refusalOfVerdict(verdict: string): Refusal | undefined {
  if (verdict === 'trader_unknown') return new Refusal('V1_TRADER_UNKNOWN');
  if (verdict === 'order_unknown') return new Refusal('V1_ORDER_UNKNOWN');
  if (verdict === 'pair_mismatch') return new Refusal('V1_TRADE_PAIR_MISMATCH');
  if (verdict === 'id_taken') return new Refusal('V1_ORDER_UUID_REUSED');
  return undefined;
}
