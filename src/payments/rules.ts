/** The state of a payment, as reported by the processor. */
export type PaymentState = {
  status: string;
  statusAtMs: number;
  receivedCents: number;
  refundedCents: number;
  isDisputed: boolean;
};

/** One update from the processor about a payment. `atMs` is by the processor's clock. */
export type ProcessorUpdate =
  | { about: 'payment'; type: string; atMs: number; status: string; receivedCents: number }
  | { about: 'charge'; atMs: number; refundedCents: number; isDisputed: boolean };

/** The effect of an update. `isPaid` and `stopped` are set only by the update that first makes them true. */
export type PaymentStep = {
  next: PaymentState;
  isPaid: boolean;
  stopped: 'refunded' | 'disputed' | null;
  emit: 'payment.succeeded' | 'payment.failed' | null;
};

const FINAL = new Set(['succeeded', 'canceled']);

/** Whether a payment with this status can no longer be paid. */
export const isOver = (status: string): boolean => FINAL.has(status);
const FAILED_ATTEMPT = 'payment_intent.payment_failed';

/**
 * The effect of an update from the processor. Updates may arrive in any order, more than once, or never. Money
 * received, refunded or disputed stays recorded, and a final status stays. Among other statuses the newest wins. A
 * failed attempt emits an event unless the payment has ended.
 */
export function applyUpdate(state: PaymentState, update: ProcessorUpdate): PaymentStep {
  if (update.about === 'charge') return afterCharge(state, update);
  const wasOver = isOver(state.status);
  const isPaid = update.status === 'succeeded' && state.status !== 'succeeded';
  const isNews = isPaid || (!wasOver && (isOver(update.status) || update.atMs >= state.statusAtMs));
  return {
    next: isNews
      ? {
          ...state,
          status: update.status,
          statusAtMs: update.atMs,
          receivedCents: Math.max(state.receivedCents, update.receivedCents),
        }
      : state,
    isPaid,
    stopped: null,
    emit: isPaid ? 'payment.succeeded' : !wasOver && update.type === FAILED_ATTEMPT ? 'payment.failed' : null,
  };
}

function afterCharge(
  state: PaymentState,
  { refundedCents, isDisputed }: Extract<ProcessorUpdate, { about: 'charge' }>,
): PaymentStep {
  const next = {
    ...state,
    refundedCents: Math.max(state.refundedCents, refundedCents),
    isDisputed: state.isDisputed || isDisputed,
  };
  return { next, isPaid: false, stopped: newlyStopped(state, next), emit: null };
}

function newlyStopped(before: PaymentState, after: PaymentState): PaymentStep['stopped'] {
  if (after.isDisputed && !before.isDisputed) return 'disputed';
  return after.refundedCents > 0 && before.refundedCents === 0 ? 'refunded' : null;
}

/** Why an account bought with a payment must not trade; null if the money was neither refunded nor disputed. */
export const reversalReason = ({
  refundedCents,
  isDisputed,
}: Pick<PaymentState, 'refundedCents' | 'isDisputed'>): PaymentStep['stopped'] =>
  isDisputed ? 'disputed' : refundedCents > 0 ? 'refunded' : null;

/** The status to show: a refund or dispute takes precedence over the processor's status. */
export const shownStatus = (state: Pick<PaymentState, 'status' | 'refundedCents' | 'isDisputed'>): string =>
  reversalReason(state) ?? state.status;

/** Whether the money received covers the price, in the same currency. */
export const isFullyPaid = (
  price: { amountCents: number; currency: string },
  received: { receivedCents: number; currency: string },
) => received.receivedCents >= price.amountCents && received.currency === price.currency;
