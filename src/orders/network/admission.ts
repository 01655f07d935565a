import type { Accept, Accepted } from '../../intents/accept.ts';
import { newBacklog } from '../../kernel/backlog.ts';
import { ApiError } from '../../kernel/errors.ts';
import { entityOf, type IntentId, lookUpThreads } from '../../kernel/ids.ts';
import type { NewNetworkOrder } from './intents.ts';

/** The share of its deadline that a new order may be expected to wait: the estimate is no more exact than that. */
const SHARE = 0.5;
const MS_PER_S = 1_000;

const MESSAGE =
  'More orders wait for the miner than it can carry out before their deadline; this one was not accepted. Retry later.';

/** What the SQL functions take: with `only_repeats`, a new order gets the verdict `overloaded`. */
type Offer<O> = O & { only_repeats?: true };

type Reject = (verdict: string) => ApiError | undefined;

/**
 * Rejects placements at once that are expected to wait for the miner for more than half of their deadline: later they would
 * expire unsent, and until then cost those before them. Each process judges by its own orders. Repeats of accepted orders,
 * orders that close a position, cancellations, edits and protection are never rejected.
 */
export function admission(threads: number) {
  const backlog = newBacklog(threads - lookUpThreads(threads));

  async function accepted<O extends NewNetworkOrder>(order: O, accept: Accept<O>, reject?: Reject): Promise<Accepted> {
    const nowMs = performance.now();
    backlog.add(order.id, entityOf(order.trader), nowMs, nowMs + order.deadline_s * MS_PER_S);
    try {
      const answer = await accept(order, reject);
      if (answer.id !== order.id) backlog.remove(order.id); // a repeat under its key
      return answer;
    } catch (error) {
      backlog.remove(order.id);
      throw error;
    }
  }

  return {
    /** The acceptance behind this admission. */
    before:
      <O extends NewNetworkOrder>(accept: Accept<Offer<O>>): Accept<O> =>
      async (order, reject) => {
        if (!opens(order) || backlog.has(order.id)) return accept(order, reject);
        const waitS = backlog.expectedWaitMs(entityOf(order.trader), performance.now()) / MS_PER_S;
        const excessS = Math.min(waitS, order.deadline_s) - order.deadline_s * SHARE; // those before it expire too
        if (excessS <= 0) return accepted(order, accept, reject);
        const retryAfterS = Math.ceil(excessS);
        if (!order.has_own_id && order.idempotency_key === undefined) throw overloaded({ effect: 'none', retryAfterS });
        // an earlier try under the same id may still be on its way to the database
        const error = overloaded({ effect: 'unknown', retryAfterS });
        return accept({ ...order, only_repeats: true }, (verdict) =>
          verdict === 'overloaded' ? error : reject?.(verdict),
        );
      },
    /** An intent has ended; null if ends may have been missed. */
    ended(intentId: IntentId | null): void {
      if (intentId === null) backlog.clear();
      else backlog.end(intentId, performance.now());
    },
  };
}

/** Whether an intent is an order that may open a position. */
const opens = ({ terms }: NewNetworkOrder) => terms !== undefined && terms.order_type !== 'FLAT';

const overloaded = (details: { effect: 'none' | 'unknown'; retryAfterS: number }) =>
  new ApiError('SERVICE_UNAVAILABLE', { ...details, message: MESSAGE });
