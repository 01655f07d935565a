/** Every status of a verification case. */
export const kycStatuses = ['unverified', 'processing', 'needs_input', 'verified', 'failed'] as const;
type KycStatus = (typeof kycStatuses)[number];

/** The state of a case. `statusAtMs` is by the processor's clock. */
export type Case = { status: KycStatus; statusAtMs: number; sessionId: string; failureReason: string | null };

/** One report of the processor on a verification session. `atMs` is by the processor's clock. */
export type ProcessorUpdate = { sessionId: string; atMs: number; status: string; failure: string | null };

/** The statuses of one session in the order in which they follow each other: of two reports of the same second the later one counts. */
const ORDER: readonly KycStatus[] = ['unverified', 'processing', 'needs_input', 'failed', 'verified'];

/**
 * The change that a report makes to a case, or null for none. `verified` is final. Otherwise the newest report on the
 * newest session wins, whatever the order of arrival. An earlier session counts only if it was verified.
 */
export function caseAfter(current: Case, update: ProcessorUpdate): Pick<Case, 'status' | 'failureReason'> | null {
  if (current.status === 'verified') return null;
  const next = readStatus(update);
  if (next.status === 'verified') return next;
  if (update.sessionId !== current.sessionId || update.atMs < current.statusAtMs) return null;
  if (update.atMs === current.statusAtMs && ORDER.indexOf(next.status) < ORDER.indexOf(current.status)) return null;
  return next.status === current.status && next.failureReason === current.failureReason ? null : next;
}

/** The processor also requires input at the start: only a failure reason shows that a check failed. */
function readStatus({ status, failure }: ProcessorUpdate): Pick<Case, 'status' | 'failureReason'> {
  if (status === 'verified') return { status: 'verified', failureReason: null };
  if (status === 'processing') return { status: 'processing', failureReason: null };
  if (status === 'canceled') return { status: 'failed', failureReason: failure ?? 'canceled' };
  return failure === null
    ? { status: 'unverified', failureReason: null }
    : { status: 'needs_input', failureReason: failure };
}
