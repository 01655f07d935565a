import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import type { AnyReply, Call, Commit } from '../contract/handler.ts';
import {
  ABANDONED_S,
  type IdempotentResponse,
  type KeyUse,
  keepResponse,
  releaseKey,
  replaceResponse,
  reserveKey,
} from '../db/idempotent-responses.ts';
import { laws } from '../kernel/error-laws.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerId, credentialId, type Principal } from '../kernel/principal.ts';
import { epochMs } from '../kernel/work.ts';
import type { EdgeDeps } from './deps.ts';

/** `until`: when a repeat has waited enough for the first request, by `performance.now()`. */
type Keeper = Pick<EdgeDeps, 'db' | 'sealer'> & { until: number };

const POLL_MS = 100;
const LONGEST_WAIT_MS = 26_000; // since a repeat came: a first request that waits for its outcome takes up to 25 s
const REPLACED_MS = 1_000; // by then the outcome of a wait is stored
const RELEASE_AGAIN_MS = 1_000;

type KeyedCall = {
  ctx: Context;
  operation: Pick<Operation, 'keepsSecrets'>;
  call: Pick<Call, 'context' | 'principal' | 'commit' | 'network'>;
  deps: Pick<EdgeDeps, 'db' | 'sealer'>;
};
type Run = (commit: Commit) => Promise<IdempotentResponse>;

/**
 * Runs a write without an intent once per Idempotency-Key, and returns the first response again for a repeat of the
 * same request. Without a key it only runs the write. Throws IDEMPOTENCY_KEY_REUSED for another request with the same
 * key, or by another credential if the response has a secret, and SERVICE_UNAVAILABLE if the first request does not end within 26 s
 * after this one came.
 */
export async function idempotentResponse(
  { ctx, operation, call, deps }: KeyedCall,
  run: Run,
): Promise<IdempotentResponse> {
  const { context, principal, commit } = call;
  if (!context.idempotency_key) return run(commit);
  const use: KeyUse = {
    caller: callerId(principal) || `nobody ${call.network}`,
    key: context.idempotency_key,
    digest: operation.keepsSecrets ? `${context.digest} ${credentialOf(principal)}` : context.digest,
    owner: context.owner,
  };
  const keeper = { ...deps, until: ctx.state.receivedAt + LONGEST_WAIT_MS };
  const once = async () => (await earlierResponse(keeper, use)) ?? (await runAndStore(keeper, use, run));
  const earlier = await once().catch((error) => {
    if (!(error instanceof ApiError)) void releaseAfterFault(deps.db, use);
    throw error;
  });
  if (earlier.isReplayed) ctx.set('Idempotent-Replayed', 'true');
  const { problem } = earlier.response;
  if (problem) throw new ApiError(problem.code, problem.details);
  return earlier.response;
}

/** Operators' sessions are short, and what they repeat after another log-in is theirs. */
const credentialOf = (principal: Principal): string =>
  principal.kind === 'user' ? principal.sessionId : (credentialId(principal) ?? '');

/**
 * Releases a key after a fault, as soon as the database can: the response asks the caller to repeat, who would otherwise wait until the reservation
 * counts as abandoned. A write that was committed has stored its response and keeps the key; one that was not never will be, see `runAndStore`. The
 * key may be reserved for a request that this one waited for, or for a later one: whichever commits first is the one write (`Superseded`).
 */
async function releaseAfterFault(db: EdgeDeps['db'], use: KeyUse): Promise<void> {
  const until = performance.now() + 1_000 * ABANDONED_S;
  while (performance.now() < until)
    try {
      return await releaseKey(db, use, false);
    } catch {
      await sleep(RELEASE_AGAIN_MS, undefined, { ref: false });
    }
}

type Reply = { response: IdempotentResponse; isReplayed: boolean };

async function earlierResponse({ db, sealer, until }: Keeper, use: KeyUse): Promise<Reply | null> {
  for (;;) {
    const reserved = await reserveKey(db, sealer, use);
    if (reserved.verdict === 'fresh') return null;
    if (reserved.verdict === 'kept' && (reserved.response.replacedBy ?? 0) < epochMs())
      return { response: reserved.response, isReplayed: true };
    if (reserved.verdict === 'key_reused') throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    if (performance.now() > until) throw new ApiError('SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: true });
    await sleep(POLL_MS);
  }
}

/** Rolls a write back: another request with the same key has committed first. Its response is the one to return. */
class Superseded extends Error {}

/**
 * An `ApiError` means that nothing was written: the key is released. A handler's `commit` writes and stores the response
 * in one transaction, so a reservation that a crash left behind proves that nothing was written. A reply made without
 * `commit`, by a handler whose write may be repeated, is stored afterwards. A later reply replaces the stored one; repeats
 * wait for it as long as the handler waits for its outcome.
 */
async function runAndStore(deps: Keeper, use: KeyUse, run: Run): Promise<Reply> {
  const { db, sealer } = deps;
  let stored: AnyReply | null = null;
  let isFinal = true;
  const commit: Commit = async (write, replacedWithinMs) => {
    const reply = await db.transaction(async (tx) => {
      const made = await write(tx);
      const replacedBy = replacedWithinMs === undefined ? null : epochMs() + replacedWithinMs + REPLACED_MS;
      if (!(await keepResponse(tx, sealer, use, { ...made, ...(replacedBy && { replacedBy }) })))
        throw new Superseded();
      isFinal = replacedBy === null;
      return made;
    });
    stored = reply;
    return reply;
  };
  try {
    const reply = await run(commit);
    const { status, body, headers } = reply;
    const response = { status, body, ...(headers && { headers }) };
    if (stored === null) await keepResponse(db, sealer, use, response);
    else if (stored !== reply || !isFinal) await replaceResponse(db, sealer, use, response);
    return { response, isReplayed: false };
  } catch (error) {
    if (error instanceof Superseded) return (await earlierResponse(deps, use)) ?? runAndStore(deps, use, run);
    if (error instanceof ApiError) await keepProblem(error);
    throw error;
  }

  /** An error after the commit is the outcome of what was written; one that does not spend the key makes way for a new attempt. */
  function keepProblem({ status, code, details }: ApiError): Promise<void> {
    const isSpent = laws[code].spends || (details.effect ?? 'none') !== 'none';
    if (stored === null || !isSpent) return releaseKey(db, use, stored !== null);
    return replaceResponse(db, sealer, use, { status, body: null, problem: { code, details } });
  }
}
