import type { components } from '../../contract/types.ts';
import type { Accept, Accepted, Offer } from '../../intents/accept.ts';
import { newIntentId } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { coinOf, decimal, displayPair, type ExchangeTerms, exchangeTerms } from './rules.ts';

type Schemas = components['schemas'];

/** An order verb for one wallet of the exchange, as `accept_exchange_orders` takes it. */
export type ExchangeOffer = Offer & { trader: string; pair: string; terms?: object };

/** Who asks, for which wallet (in lower case). */
export type ExchangeAsking = {
  accept: Accept<ExchangeOffer>;
  asking: { owner: string; digest: string; request_id: string; idempotency_key?: string };
  wallet: string;
  deadlineMs: number;
};

/** What the tasks of the exchange read. */
export type PlaceAsked = { wallet: string; terms: ExchangeTerms };
export type CloseAsked = { wallet: string; pair: string; max_slippage: string };
export type ProtectAsked = { wallet: string; pair: string; take_profit: string | null; stop_loss: string | null };
export type CancelAsked = { wallet: string; oids: number[] | 'all' };

/** Accepts an order durably. The caller's own uuid, if given, names it here and at the exchange. */
export function placeExchangeOrder(who: ExchangeAsking, order: Schemas['SubmitOrderRequest']): Promise<Accepted> {
  const terms = exchangeTerms(order);
  const asked: Omit<PlaceAsked, 'wallet'> = { terms };
  return offer(who, 'place', { id: order.client_order_id, pair: terms.pair, terms }, asked);
}

/** Accepts the closing of whatever is open in a pair when its turn comes. */
export function closeExchangePosition(who: ExchangeAsking, close: Schemas['ClosePositionRequest']): Promise<Accepted> {
  const pair = displayPair(coinOf(close.pair));
  const asked: Omit<CloseAsked, 'wallet'> = { pair, max_slippage: decimal(close.max_slippage) };
  return offer(who, 'close', { id: close.client_order_id, pair }, asked);
}

/** Accepts new exits for the position in a pair. */
export function protectExchangePosition(who: ExchangeAsking, exits: Schemas['TpSlRequest']): Promise<Accepted> {
  const pair = displayPair(coinOf(exits.pair));
  const asked: Omit<ProtectAsked, 'wallet'> = {
    pair,
    take_profit: exits.take_profit === undefined ? null : decimal(exits.take_profit),
    stop_loss: exits.stop_loss === undefined ? null : decimal(exits.stop_loss),
  };
  return offer(who, 'protect', { pair }, asked);
}

/** Accepts the cancellation of open orders: those of these exchange ids, or all there are when its turn comes. */
export function cancelExchangeOrders(who: ExchangeAsking, oids: CancelAsked['oids']): Promise<Accepted> {
  const asked: Omit<CancelAsked, 'wallet'> = { oids };
  return offer(who, 'cancel', { pair: '' }, asked);
}

/** An intent that follows from another one's outcome, to be accepted in the same transaction. */
export const followUp = (
  { id, owner }: { id: string; owner: string },
  kind: 'cancel' | 'protect',
  asked: CancelAsked | ProtectAsked,
): Offer => ({
  id: newIntentId(),
  kind: `orders/exvenue/${kind}`,
  owner,
  lane: laneOf(asked.wallet),
  asked: { ...asked, because_of: id },
  digest: '',
  deadline_s: FOLLOW_UP_DEADLINE_S,
});

const FOLLOW_UP_DEADLINE_S = 600; // nobody waits for it, and it should still happen after an outage of the exchange

const laneOf = (wallet: string) => `exvenue:${wallet}`;

function offer(
  { accept, asking, wallet, deadlineMs }: ExchangeAsking,
  verb: 'place' | 'close' | 'protect' | 'cancel',
  { id, pair, terms }: { id?: string | undefined; pair: string; terms?: object },
  asked: object,
): Promise<Accepted> {
  return accept(
    {
      ...asking,
      id: id?.toLowerCase() ?? newIntentId(),
      kind: `orders/exvenue/${verb}`,
      trader: wallet,
      pair,
      ...(terms && { terms }),
      lane: laneOf(wallet),
      asked: { ...asked, wallet },
      deadline_s: deadlineMs / 1000,
    },
    refusalOfVerdict,
  );
}

function refusalOfVerdict(verdict: string): Refusal | undefined {
  if (verdict === 'not_enrolled') return new Refusal('V1_NOT_ENROLLED');
  if (verdict === 'id_taken') return new Refusal('V1_ORDER_UUID_REUSED');
  return undefined;
}
