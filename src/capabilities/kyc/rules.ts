/**
 * Every status of a verification case, in the order in which those of one session follow each other: of two reports of the same second the later one
 * counts.
 */
export const kycStatuses = ['unverified', 'processing', 'needs_input', 'failed', 'verified'] as const;
type KycStatus = (typeof kycStatuses)[number];

/** The state of a case. `statusAtMs` is by the processor's clock. */
export type Case = { status: KycStatus; statusAtMs: number; sessionId: string; failureReason: string | null };

/** One report of the processor on a verification session. `atMs` is by the processor's clock. */
export type ProcessorUpdate = { sessionId: string; atMs: number; status: string; failure: string | null };

/**
 * The state of a case after a report, or null if the report changes nothing. `verified` is final. Otherwise the newest report on the newest session
 * wins, in whatever order reports arrive; a report with the same status also supersedes earlier ones. An earlier session counts only if it was
 * verified.
 */
export function caseAfter(current: Case, update: ProcessorUpdate): State | null {
  if (current.status === 'verified') return null;
  const next = readStatus(update);
  if (next.status === 'verified') return next;
  if (update.sessionId !== current.sessionId || update.atMs < current.statusAtMs) return null;
  if (update.atMs === current.statusAtMs && rankOf(next) < rankOf(current)) return null;
  return update.atMs > current.statusAtMs || !isSame(current, next) ? next : null;
}

type State = Pick<Case, 'status' | 'failureReason'>;

/** Whether two states are the same to the app. */
export const isSame = (a: State, b: State): boolean => a.status === b.status && a.failureReason === b.failureReason;

const rankOf = ({ status }: Pick<Case, 'status'>) => kycStatuses.indexOf(status);

/** The processor also requires input at the start: only a failure reason shows that a check failed. */
function readStatus({ status, failure }: ProcessorUpdate): State {
  if (status === 'verified') return { status: 'verified', failureReason: null };
  if (status === 'processing') return { status: 'processing', failureReason: null };
  if (status === 'canceled') return { status: 'failed', failureReason: failure ?? 'canceled' };
  return failure === null
    ? { status: 'unverified', failureReason: null }
    : { status: 'needs_input', failureReason: failure };
}
