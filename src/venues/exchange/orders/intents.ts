import type { Body } from '../../../contract/body.ts';
import type { components } from '../../../contract/types.ts';
import { type Accepted, idsOf, intentFor, type NewIntent, type Submission } from '../../../intents/accept.ts';
import type { Submittable } from '../../../intents/define.ts';
import { ofAmount } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { OrderUuid, WalletAddress } from '../../../kernel/ids.ts';
import { cancel } from './cancel.ts';
import { close } from './close.ts';
import { laneOf } from './follow-up.ts';
import { place } from './place.ts';
import { protect } from './protect.ts';
import { type EachMember, type ExchangeTerms, exchangeTerms, optionalDecimal, perpetualOf } from './rules.ts';

type Schemas = components['schemas'];

/** A new intent for one wallet of the exchange, in the shape that `accept_exchange_orders` takes. */
export type NewExchangeOrder = NewIntent & { trader: WalletAddress; pair: string; terms?: object };

/** The context of a request, and the wallet (in lower case) that it is about. */
export type ExchangeRequestContext = Submission<NewExchangeOrder> & { wallet: WalletAddress };

/** Submits an order. The caller's uuid, if given, names it. */
export function placeExchangeOrder(
  context: ExchangeRequestContext,
  order: Body<'submitExvenueOrder'>,
): Promise<Accepted> {
  const terms = exchangeTerms(order);
  const alongside = runsAlongside(terms);
  return submit(
    context,
    place,
    { name: order.client_order_id, pair: terms.pair, terms, ...(alongside && { alongside }) },
    { terms },
  );
}

/**
 * An order that adds to a position does not depend on others of its side, nor on other pairs. Orders that reduce a
 * position or set its leverage depend on those before them.
 */
const runsAlongside = ({ pair, side, reduce_only, leverage }: ExchangeTerms): string | null =>
  reduce_only || leverage !== null ? null : `${pair} ${side}`;

/** Submits the closing of the position that is open in a pair when the intent is executed. */
export function closeExchangePosition(
  context: ExchangeRequestContext,
  order: Body<'closeExvenuePosition'>,
): Promise<Accepted> {
  const pair = perpetualOf(order.pair);
  return submit(context, close, { name: order.client_order_id, pair }, {
    pair,
    max_slippage: ofAmount(order.max_slippage),
  } satisfies EachMember<typeof order>);
}

/** Submits new exits for the position in a pair. */
export function protectExchangePosition(
  context: ExchangeRequestContext,
  exits: Schemas['TpSlRequest'],
): Promise<Accepted> {
  const pair = perpetualOf(exits.pair);
  const [take_profit, stop_loss] = [optionalDecimal(exits.take_profit), optionalDecimal(exits.stop_loss)];
  return submit(context, protect, { pair }, { pair, take_profit, stop_loss } satisfies EachMember<typeof exits>);
}

/** Submits the cancellation of all orders that are open when the intent is executed. */
export const cancelAllExchangeOrders = (context: ExchangeRequestContext): Promise<Accepted> =>
  submit(context, cancel, { pair: '' }, { oids: 'all' });

/** Submits the cancellation of one order, by the exchange's number or by this service's id. */
export const cancelExchangeOrder = (context: ExchangeRequestContext, name: string): Promise<Accepted> =>
  submit(
    context,
    cancel,
    { pair: '' },
    isExchangeNumber(name) ? { oids: [Number(name)] } : { oids: [], order_ids: [name.toLowerCase()] },
  );

/** Whether a name of an order is the exchange's number of it; this service's ids are uuids. */
export const isExchangeNumber = (name: string): boolean => /^\d{1,15}$/.test(name);

function submit<Request extends { wallet: WalletAddress } & Record<string, unknown>>(
  { accept, wallet, ...by }: ExchangeRequestContext,
  verb: Submittable<Request>,
  { name, pair, ...more }: { name?: OrderUuid | undefined; pair: string; terms?: object; alongside?: string },
  members: NoInfer<Omit<Request, 'wallet'>>,
): Promise<Accepted> {
  return accept(
    {
      ...intentFor(by, verb, { ...members, wallet } as Request), // as: it has no other members
      ...idsOf(by.context.owner, name),
      trader: wallet,
      pair,
      ...more,
      lane: laneOf(wallet),
    },
    errorOfVerdict,
  );
}

function errorOfVerdict(verdict: string): ApiError | undefined {
  if (verdict === 'not_enrolled') return new ApiError('V1_NOT_ENROLLED');
  if (verdict === 'key_rejected') return new ApiError('V1_KEY_REJECTED');
  if (verdict === 'id_taken') return new ApiError('V1_ORDER_UUID_REUSED');
  return undefined;
}
