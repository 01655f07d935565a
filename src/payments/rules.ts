/** Where a payment stands, as far as the processor's words have moved it. */
export type Standing = {
  status: string;
  statusAtMs: number;
  receivedCents: number;
  refundedCents: number;
  isDisputed: boolean;
};

/** A word of the processor on one payment; `atMs` by its clock. */
export type Word =
  | { about: 'payment'; type: string; atMs: number; status: string; receivedCents: number }
  | { about: 'charge'; atMs: number; refundedCents: number; isDisputed: boolean };

/** What a word comes to. `isPaid` and `stopped` are set by the word that makes them true, and by no later one. */
export type Step = {
  next: Standing;
  isPaid: boolean;
  stopped: 'refunded' | 'disputed' | null;
  emit: 'payment.succeeded' | 'payment.failed' | null;
};

const FINAL = new Set(['succeeded', 'canceled']);

/** Whether nothing can be paid any more. */
export const isOver = (status: string): boolean => FINAL.has(status);
const FAILED_TRY = 'payment_intent.payment_failed';

/**
 * What a word of the processor changes. Words may come in any order, repeated or not at all: money received, given back or
 * disputed stays so, a final status stays, and among the others the newest holds. A failed try is told unless the payment has
 * come to its end already.
 */
export function stepOf(standing: Standing, word: Word): Step {
  if (word.about === 'charge') return afterCharge(standing, word);
  const wasOver = isOver(standing.status);
  const isPaid = word.status === 'succeeded' && standing.status !== 'succeeded';
  const isNews = isPaid || (!wasOver && (isOver(word.status) || word.atMs >= standing.statusAtMs));
  return {
    next: isNews
      ? {
          ...standing,
          status: word.status,
          statusAtMs: word.atMs,
          receivedCents: Math.max(standing.receivedCents, word.receivedCents),
        }
      : standing,
    isPaid,
    stopped: null,
    emit: isPaid ? 'payment.succeeded' : !wasOver && word.type === FAILED_TRY ? 'payment.failed' : null,
  };
}

function afterCharge(standing: Standing, { refundedCents, isDisputed }: Extract<Word, { about: 'charge' }>): Step {
  const next = {
    ...standing,
    refundedCents: Math.max(standing.refundedCents, refundedCents),
    isDisputed: standing.isDisputed || isDisputed,
  };
  return { next, isPaid: false, stopped: newlyStopped(standing, next), emit: null };
}

function newlyStopped(before: Standing, after: Standing): Step['stopped'] {
  if (after.isDisputed && !before.isDisputed) return 'disputed';
  return after.refundedCents > 0 && before.refundedCents === 0 ? 'refunded' : null;
}

/** Why no account may be tradeable for a payment any more, or null. */
export const goneFor = ({
  refundedCents,
  isDisputed,
}: Pick<Standing, 'refundedCents' | 'isDisputed'>): Step['stopped'] =>
  isDisputed ? 'disputed' : refundedCents > 0 ? 'refunded' : null;

/** A payment's status as it is shown: what became of the money hides the processor's last word. */
export const shownStatus = (standing: Pick<Standing, 'status' | 'refundedCents' | 'isDisputed'>): string =>
  goneFor(standing) ?? standing.status;

/** Whether what was received pays for what was asked. */
export const isFullyPaid = (
  asked: { amountCents: number; currency: string },
  received: { receivedCents: number; currency: string },
) => received.receivedCents >= asked.amountCents && received.currency === asked.currency;
