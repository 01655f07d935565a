export const kycStatuses = ['unverified', 'processing', 'needs_input', 'verified', 'failed'] as const;
type KycStatus = (typeof kycStatuses)[number];

/** A case as it stands; `statusAtMs` by the processor's clock. */
export type Case = { status: KycStatus; statusAtMs: number; sessionId: string; failureReason: string | null };

/** The processor's word on one verification session. */
export type Word = { sessionId: string; atMs: number; status: string; failure: string | null };

/**
 * Where a word moves a case, or null where it changes nothing. Verified is the end. Otherwise the newest word on the newest
 * session holds, whatever the order they come in; an earlier session counts only when it was verified.
 */
export function caseAfter(standing: Case, word: Word): Pick<Case, 'status' | 'failureReason'> | null {
  if (standing.status === 'verified') return null;
  const next = readStatus(word);
  if (next.status === 'verified') return next;
  if (word.sessionId !== standing.sessionId || word.atMs < standing.statusAtMs) return null;
  return next.status === standing.status && next.failureReason === standing.failureReason ? null : next;
}

/** The processor wants input at the start, too: only a reason tells that a check was not passed. */
function readStatus({ status, failure }: Word): Pick<Case, 'status' | 'failureReason'> {
  if (status === 'verified') return { status: 'verified', failureReason: null };
  if (status === 'processing') return { status: 'processing', failureReason: null };
  if (status === 'canceled') return { status: 'failed', failureReason: failure ?? 'canceled' };
  return failure === null
    ? { status: 'unverified', failureReason: null }
    : { status: 'needs_input', failureReason: failure };
}
