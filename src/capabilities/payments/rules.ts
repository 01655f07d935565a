import type { EventName } from '../../contract/events.ts';

/**
 * The state of a payment, as reported by the processor: what was received, in which currency (null: not known yet).
 * Refunds and disputes are counted apart, see `settle_money`.
 */
export type PaymentState = {
  status: string;
  statusAtMs: number;
  receivedCents: number;
  receivedCurrency: string | null;
};

/** What a payment costs. */
export type Price = { amountCents: number; currency: string };

/** One update from the processor about a payment. `atMs` is by the processor's clock. */
export type ProcessorUpdate = { type: string; atMs: number; status: string; receivedCents: number; currency: string };

/**
 * The effect of an update, and the event to emit. `payment.succeeded`: this update is the first to show that the price was received.
 * `payment.mismatched`: it is the first to show that the payment succeeded with another amount or currency.
 */
export type PaymentStep = { next: PaymentState; emit: Extract<EventName, `payment.${string}`> | null };

const FINAL = new Set(['succeeded', 'canceled']);

/** Whether a payment with this status can no longer be paid. */
export const isOver = (status: string): boolean => FINAL.has(status);
const FAILED_ATTEMPT = 'payment_intent.payment_failed';
const CREATED = 'payment_intent.created'; // of all reports of one second it is the first

/** Whether exactly the price was received, in its currency. */
export const isCleared = ({ status, receivedCents, receivedCurrency }: PaymentState, price: Price): boolean =>
  status === 'succeeded' && receivedCents === price.amountCents && receivedCurrency === price.currency;

/**
 * The effect of an update from the processor. Updates may arrive in any order, more than once, or never. Money received
 * stays recorded, and a final status stays. Among other statuses the newest wins. A failed attempt emits an event unless
 * the payment has ended, and so does a cancellation, which ends it.
 */
export function applyUpdate(state: PaymentState, update: ProcessorUpdate, price: Price): PaymentStep {
  const wasOver = isOver(state.status);
  const hasSucceeded = update.status === 'succeeded' && state.status !== 'succeeded';
  const isMore = update.status === state.status && update.receivedCents > state.receivedCents;
  const isNewest = update.atMs > state.statusAtMs || (update.atMs === state.statusAtMs && update.type !== CREATED);
  const isNews = hasSucceeded || isMore || (!wasOver && (isOver(update.status) || isNewest));
  const next = isNews ? afterUpdate(state, update) : state;
  if (isCleared(next, price) && !isCleared(state, price)) return { next, emit: 'payment.succeeded' };
  if (hasSucceeded) return { next, emit: 'payment.mismatched' };
  const hasFailed = !wasOver && (update.type === FAILED_ATTEMPT || update.status === 'canceled');
  return { next, emit: hasFailed ? 'payment.failed' : null };
}

const afterUpdate = (state: PaymentState, update: ProcessorUpdate): PaymentState => ({
  status: update.status,
  statusAtMs: update.atMs,
  receivedCents: Math.max(state.receivedCents, update.receivedCents),
  receivedCurrency: update.receivedCents > 0 ? update.currency : state.receivedCurrency,
});
