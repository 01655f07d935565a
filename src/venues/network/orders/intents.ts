import type { Body } from '../../../contract/body.ts';
import type { components } from '../../../contract/types.ts';
import { type Accepted, idsOf, intentFor, type NewIntent, type Submission } from '../../../intents/accept.ts';
import type { Submittable } from '../../../intents/define.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type Hotkey, hotkeyOf, type OrderUuid, type PropAccountId } from '../../../kernel/ids.ts';
import { cancel } from './cancel.ts';
import { close } from './close.ts';
import { edit } from './edit.ts';
import { place } from './place.ts';
import { protect } from './protect.ts';
import { findInconsistency, type Terms, termsOf } from './rules.ts';

type Schemas = components['schemas'];

/**
 * A new intent for one trader of the network, in the shape that `accept_network_orders` takes. `terms`: of a new order. `target`:
 * another order, by a name or id of it; the stored request has its id.
 */
export type NewNetworkOrder = NewIntent & {
  trader: Hotkey;
  pair: string;
  target?: OrderUuid;
  terms?: Terms;
};

/** The context of a request, and the trader that it is about. */
export type RequestContext = Submission<NewNetworkOrder> & { subaccountId: number; entityHotkey: Hotkey };

/** Submits an order: intent, order and job in one transaction. The caller's uuid, if given, names it. */
export const placeOrder = (context: RequestContext, order: Body<'submitNetvenueOrder'>): Promise<Accepted> => {
  const terms = termsOf(order);
  const fault = findInconsistency(terms);
  if (fault) throw new ApiError('V1_PRICES_INVALID', { message: fault });
  return submit(context, place, { name: order.order_uuid, pair: order.trade_pair, terms }, { terms });
};

/** Submits the cancellation of one of the trader's orders. */
export const cancelOrder = (
  context: RequestContext,
  { target, pair }: { target: OrderUuid; pair: string },
): Promise<Accepted> => submit(context, cancel, { pair, target }, { target });

/**
 * Submits changes to one of the trader's resting orders. They are merged when they are sent, in order of submission.
 */
export const editOrder = (
  context: RequestContext,
  target: OrderUuid,
  changes: Schemas['VantaEditOrderRequest'],
): Promise<Accepted> => submit(context, edit, { pair: changes.trade_pair, target }, { target, changes });

/**
 * Submits the closing of the position that is open in a pair when the intent is executed; with a uuid only of that
 * position.
 */
export const closePosition = (
  context: RequestContext,
  position: { trade_pair: string; position_uuid?: string },
): Promise<Accepted> => submit(context, close, { pair: position.trade_pair }, position);

/** Submits new protection for the position in a pair. */
export const protectPosition = (
  context: RequestContext,
  protection: Schemas['VantaTpSlRequest'],
): Promise<Accepted> => {
  const fault = findInconsistency(protection);
  if (fault) throw new ApiError('V1_PRICES_INVALID', { message: fault });
  return submit(context, protect, { pair: protection.trade_pair }, { protection });
};

type TraderMembers = { trader: Hotkey; subaccount_id: number; prop_account_id?: PropAccountId | undefined };

function submit<Request extends TraderMembers & Record<string, unknown>>(
  { accept, subaccountId, entityHotkey, ...by }: RequestContext,
  verb: Submittable<Request>,
  { name, pair, ...more }: { name?: OrderUuid | undefined; pair: string; target?: OrderUuid; terms?: Terms },
  members: NoInfer<Omit<Request, keyof TraderMembers>>,
): Promise<Accepted> {
  const trader = hotkeyOf(entityHotkey, subaccountId);
  return accept(
    {
      ...intentFor(by, verb, { ...members, trader, subaccount_id: subaccountId } as Request), // as: it has no other members
      ...idsOf(by.context.owner, name),
      ...more,
      trader,
      pair,
      lane: `netvenue:${trader}:${pair}`,
    },
    errorOfVerdict,
  );
}

function errorOfVerdict(verdict: string): ApiError | undefined {
  if (verdict === 'trader_unknown') return new ApiError('V1_TRADER_UNKNOWN');
  if (verdict === 'order_unknown') return new ApiError('V1_ORDER_UNKNOWN');
  if (verdict === 'pair_mismatch') return new ApiError('V1_TRADE_PAIR_MISMATCH');
  if (verdict === 'id_taken') return new ApiError('V1_ORDER_UUID_REUSED');
  return undefined;
}
