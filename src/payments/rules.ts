/** The state of a payment, as reported by the processor. Refunds and disputes are counted apart, see `settle_money`. */
export type PaymentState = { status: string; statusAtMs: number; receivedCents: number };

/** One update from the processor about a payment. `atMs` is by the processor's clock. */
export type ProcessorUpdate = { type: string; atMs: number; status: string; receivedCents: number };

/** The effect of an update. `isPaid` is set only by the update that first makes it true. */
export type PaymentStep = {
  next: PaymentState;
  isPaid: boolean;
  emit: 'payment.succeeded' | 'payment.failed' | null;
};

const FINAL = new Set(['succeeded', 'canceled']);

/** Whether a payment with this status can no longer be paid. */
export const isOver = (status: string): boolean => FINAL.has(status);
const FAILED_ATTEMPT = 'payment_intent.payment_failed';

/**
 * The effect of an update from the processor. Updates may arrive in any order, more than once, or never. Money received
 * stays recorded, and a final status stays. Among other statuses the newest wins. A failed attempt emits an event unless
 * the payment has ended.
 */
export function applyUpdate(state: PaymentState, update: ProcessorUpdate): PaymentStep {
  const wasOver = isOver(state.status);
  const isPaid = update.status === 'succeeded' && state.status !== 'succeeded';
  const isNews = isPaid || (!wasOver && (isOver(update.status) || update.atMs >= state.statusAtMs));
  const receivedCents = Math.max(state.receivedCents, update.receivedCents);
  return {
    next: isNews ? { status: update.status, statusAtMs: update.atMs, receivedCents } : state,
    isPaid,
    emit: isPaid ? 'payment.succeeded' : !wasOver && update.type === FAILED_ATTEMPT ? 'payment.failed' : null,
  };
}

/** The status to show: a dispute, then a refund take precedence over the processor's status. Amounts in cents. */
export function shownStatus(payment: { status: string; refundedCents: number; disputedCents: number }): string {
  if (payment.disputedCents > 0) return 'disputed';
  return payment.refundedCents > 0 ? 'refunded' : payment.status;
}

/** Whether the money received covers the price, in the same currency. */
export const isFullyPaid = (
  price: { amountCents: number; currency: string },
  received: { receivedCents: number; currency: string },
) => received.receivedCents >= price.amountCents && received.currency === price.currency;
