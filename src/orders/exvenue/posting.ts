import type { Action, CallLimits, Exvenue, ItemResult, Posted } from '../../adapters/exvenue/types.ts';
import type { Carrier } from '../../intents/carry-out.ts';
import { type Answer, accepted, inDoubt, unreachable } from '../../kernel/answer.ts';
import type { WorkerRuntime } from '../../runtime.ts';
import type { PlacedFact, SentOrder } from './outcomes.ts';
import { cloidOf } from './rules.ts';
import type { Signed } from './signing.ts';

/** What is committed of an order before it goes out. */
export type SentPlacement = Signed & SentOrder & { cloid: string; coin: string };

const LANDING_MARGIN_MS = 5_000; // the exchange's clock and ours agree to within this
const POST_WITHIN_MS = 8_000; // shorter than the signed bytes live

/** The spine's carrier with the exchange's own horizon: once its bytes have expired nothing can land any more. */
export const exchangeCarrier = (runtime: WorkerRuntime): Carrier => ({
  ...runtime,
  patienceMs: runtime.config.EXVENUE_PATIENCE_MS,
  inFlightMs: runtime.config.EXVENUE_EXPIRES_MS + LANDING_MARGIN_MS,
});

/** The facts of an order that its look-up and outcome need. */
export function sentOrder(intentId: string, coin: string, action: Action): SentOrder & { cloid: string; coin: string } {
  const order = action.kind === 'place' ? action.orders[0] : undefined;
  if (!order) throw new Error('No order in the action');
  return { cloid: cloidOf(intentId), coin, size: order.size, price: order.price };
}

/**
 * Posts what was signed for an order: everything before the last post must be accepted, or the order is not sent; then that is
 * as if nothing had been sent, since setting a leverage twice changes nothing. A process that was stopped in between needs no guard:
 * the bytes expire.
 */
export async function postOrder(
  exvenue: Exvenue,
  { account, posts }: Signed,
  { signal }: Pick<Required<CallLimits>, 'signal'>,
): Promise<Answer<PlacedFact>> {
  const last = posts.length - 1;
  for (const [n, { body }] of posts.entries()) {
    const answer = await exvenue.post(body, { signal, timeoutMs: POST_WITHIN_MS, firstSend: true, account });
    if (n === last) return answer.kind === 'accepted' ? placedFact(answer.said) : answer;
    if (answer.kind === 'rejected') return answer;
    if (answer.kind !== 'accepted') return unreachable('the leverage could not be set; the order was not sent');
  }
  return inDoubt('nothing was posted');
}

/** The first item is the order itself; the others are its exits. */
function placedFact({ items: [order, ...exits] }: Posted): Answer<PlacedFact> {
  if (!order) return inDoubt('an answer without items');
  if (order.kind === 'rejected') return order;
  if (order.kind === 'resting' || order.kind === 'filled') return accepted({ order, exits });
  return inDoubt(`the order is ${order.kind}`);
}

/**
 * Posts signed actions one after the other and joins what was said of their items. Past a silence nothing more is sent. A part
 * whose orders are all gone already is no reason to leave out the next.
 */
export async function postAll(
  exvenue: Exvenue,
  { account, posts }: Signed,
  { signal }: Pick<Required<CallLimits>, 'signal'>,
): Promise<Answer<Posted>> {
  const items: ItemResult[] = [];
  for (const [n, { body, items: count }] of posts.entries()) {
    const answer = await exvenue.post(body, { signal, timeoutMs: POST_WITHIN_MS, firstSend: true, account });
    if (answer.kind === 'rejected' && answer.slug === 'order_gone') {
      items.push(...Array<ItemResult>(count).fill(answer));
      continue;
    }
    if (answer.kind !== 'accepted') return n === 0 ? answer : inDoubt('a later part was not answered');
    if (answer.said.items.some(({ kind }) => kind === 'in_doubt')) return inDoubt('an item was not answered');
    items.push(...answer.said.items);
  }
  return accepted({ items });
}
