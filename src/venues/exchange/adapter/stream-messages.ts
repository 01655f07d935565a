import { parseJson } from '../../../adapters/http.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { fieldsOf, hexOf, textOf } from './fields.ts';
import { readFills } from './fills.ts';
import { readRecord } from './orders.ts';
import type { Fill, OrderUpdate } from './types.ts';

/** What is followed of a user. */
export const SUBSCRIPTIONS = ['orderUpdates', 'userFills'] as const;
/** Its first message shows the newest orders of a user as they are, which the others do not. */
export const HISTORY = 'userHistoricalOrders';
/** What can be requested of a user. */
export type SubscriptionType = (typeof SUBSCRIPTIONS)[number] | typeof HISTORY;

/** A message of the stream. `historyOf`: the user of whose newest orders these have changed. `fills` is null if one of them is of an unknown form. */
type StreamMessage =
  | { kind: 'orders'; updates: OrderUpdate[]; historyOf: WalletAddress | null }
  | { kind: 'fills'; user: WalletAddress; fills: Fill[] | null }
  | { kind: 'subscribed'; type: SubscriptionType; user: WalletAddress }
  | { kind: 'error'; text: string };

/** Reads a message of the stream; null if it says nothing that matters here. See venues/exchange.md#stream. */
export function readMessage(text: string): StreamMessage | null {
  const message = fieldsOf(parseJson(text));
  switch (message?.channel) {
    case 'orderUpdates':
      return { kind: 'orders', updates: readUpdates(message.data), historyOf: null };
    case HISTORY:
      return readHistory(message.data);
    case 'userFills':
      return readExecutions(message.data);
    case 'subscriptionResponse':
      return readConfirmation(message.data);
    case 'error':
      return { kind: 'error', text: textOf(message.data) ?? '' };
    default:
      return null;
  }
}

/** Updates of an unknown form are left out: what they say is read. */
const readUpdates = (list: unknown): OrderUpdate[] => (Array.isArray(list) ? list.flatMap(readUpdate) : []);

const readHistory = (data: unknown): StreamMessage => ({
  kind: 'orders',
  updates: readUpdates(fieldsOf(data)?.orderHistory).map((update) => ({ ...update, isPast: true })),
  historyOf: hexOf(fieldsOf(data)?.user),
});

const readUpdate = (wire: unknown): OrderUpdate[] => {
  const record = readRecord(wire);
  return record ? [{ record, wire }] : [];
};

function readExecutions(data: unknown): StreamMessage | null {
  const user = hexOf(fieldsOf(data)?.user);
  return user === null ? null : { kind: 'fills', user, fills: readFills(user)(fieldsOf(data)?.fills) };
}

function readConfirmation(data: unknown): StreamMessage | null {
  const subscription = fieldsOf(fieldsOf(data)?.subscription);
  const user = hexOf(subscription?.user);
  const type = ([...SUBSCRIPTIONS, HISTORY] as const).find((known) => known === subscription?.type);
  return user && type && fieldsOf(data)?.method === 'subscribe' ? { kind: 'subscribed', type, user } : null;
}
