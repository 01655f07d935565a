import type { Db } from '../../../db/pool.ts';
import { nextReconcileMs } from '../../../intents/backoff.ts';
import type { Finding, IntentOf, SendLimits, SentRequest, Timing } from '../../../intents/define.ts';
import type { Claim, Problem } from '../../../intents/intent.ts';
import { recordNoResponse } from '../../../intents/run.ts';
import { fail, markInDoubt, retry, retryOrFail } from '../../../intents/settle.ts';
import { idSchema } from '../../../kernel/ids.ts';
import {
  accepted,
  type Rejected,
  rejected,
  type UpstreamResult,
  unknownEffect,
  unreachable,
} from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { ItemResult, Posted } from '../adapter/action-types.ts';
import { markKeyRejected } from '../signing/commands.ts';
import { findKey } from '../signing/queries.ts';
import { burn, inFlightMsOf, type NonceEvidence, type Signed, type SigningDeps } from '../signing/sign.ts';

/** The dependencies of every exchange verb: the exchange, the signing keys of wallets, and the timing settings. */
export type ExchangeDeps = SigningDeps & {
  config: { EXVENUE_PATIENCE_MS: number; EXVENUE_READ_LAG_MS: number };
};

/** Request members of every exchange verb: the wallet in lower case, and the id of the intent it follows, if any. */
export const walletMembers = { wallet: idSchema.wallet, because_of: idSchema.intent.optional() };

/** The exchange could not be read. */
export const UNREACHABLE = { wait: { code: 'VENUE_UNREACHABLE' } } as const;

/** An order that the verb depends on is in doubt. */
export const IN_DOUBT = { wait: { code: 'V1_ORDER_IN_DOUBT' } } as const;

const POST_WITHIN_MS = 8_000; // shorter than the lifetime of signed bodies
/** The part of the patience in which a body may wait for the budget: what is not granted then was not sent, and is in no doubt. */
const GRANTED_WITHIN_PART = 0.8;

/** The timing of calls to the exchange. Signed bodies expire; after that nothing can take effect. */
export const exchangeTiming = (deps: ExchangeDeps): Timing => ({
  patienceMs: deps.config.EXVENUE_PATIENCE_MS,
  inFlightMs: inFlightMsOf(deps),
});

const EXIT_PATIENCE_MS = 1_500; // a position may be without exits meanwhile, so records are asked soon, and the body is sent again

/** The timing of calls that place exits for a position, or end old ones. */
export const exitTiming = (deps: ExchangeDeps): Timing => {
  const timing = exchangeTiming(deps);
  return { ...timing, patienceMs: Math.min(timing.patienceMs, EXIT_PATIENCE_MS) };
};

/** Whether the sent bodies have expired and can no longer take effect. */
export const hasExpired = ({ sent_ago_ms }: Pick<IntentOf<unknown>, 'sent_ago_ms'>, deps: ExchangeDeps): boolean =>
  sent_ago_ms > exchangeTiming(deps).inFlightMs;

/**
 * The limits of one sending, from its beginning on: what waits for the budget until then was not sent, and is in no doubt. One that
 * begins too late sends nothing.
 */
export function sendingLimits({ patienceMs }: Timing, { notAfter, signal }: SendLimits): SendLimits {
  const nowMs = epochMs();
  if (nowMs > notAfter) return { notAfter, signal };
  return { notAfter: nowMs + GRANTED_WITHIN_PART * Math.min(patienceMs, POST_WITHIN_MS), signal };
}

/** An account without a deposit cannot approve an agent. See venues/exchange.md#errors. */
const OF_KEYS = new Set(['key_not_authorized', 'not_deposited']);

/**
 * Posts one signed body for the first time; once more: see repeat.ts. A key that the venue rejects signs nothing more. A duplicate
 * nonce of bytes that were never sent before was used by other software with the same key: nothing was done, and the action
 * may be signed again. See venues/exchange.md#nonces.
 */
export async function post(
  { db, exvenue }: ExchangeDeps,
  signed: Signed,
  body: string,
  { notAfter, signal }: SendLimits,
): Promise<UpstreamResult<Posted>> {
  const { account } = signed;
  const result = await exvenue.post(body, { signal, notAfter, timeoutMs: POST_WITHIN_MS, firstSend: true, account });
  if (result.kind !== 'rejected') return result;
  if (result.slug === 'duplicate_nonce') return unreachable('DUPLICATE_NONCE');
  return OF_KEYS.has(result.slug) ? keyRejection(db, signed, result) : result;
}

const BAD_SIGNATURE = rejected('bad_signature', 'The venue could not read the signature.');

/**
 * Marks a rejected key, which then signs nothing more. A rejection that names neither the key's address nor its account concerns the signature, not
 * the key: otherwise a process that signs for the wrong network would end every key that it uses. See venues/exchange.md#errors.
 */
async function keyRejection(db: Db, { account, key_id }: Signed, rejection: Rejected): Promise<Rejected> {
  const key = await findKey(db, key_id);
  if (rejection.address !== undefined && ![account, key?.signer].includes(rejection.address)) return BAD_SIGNATURE;
  await markKeyRejected(db, key_id);
  return rejection;
}

/**
 * Posts the signed bodies of exits or cancellations one after the other and joins the results of their items. It stops at a missing response or a
 * rejection. A body rejected because its orders are already gone does not stop it. Once the first was posted, the others are posted for as long as
 * they are valid, since their targets would stay open otherwise.
 */
export async function postAll(deps: ExchangeDeps, signed: Signed, limits: SendLimits): Promise<UpstreamResult<Posted>> {
  const items: ItemResult[] = [];
  const first = sendingLimits(exitTiming(deps), limits);
  const later = { notAfter: signed.expires_at_ms, signal: limits.signal };
  for (const [n, { body, items: count }] of signed.posts.entries()) {
    const result = await post(deps, signed, body, n === 0 ? first : later);
    if (result.kind === 'rejected' && result.slug === 'order_gone') {
      items.push(...Array<ItemResult>(count).fill(result));
      continue;
    }
    if (result.kind !== 'accepted') return n === 0 ? result : unknownEffect('a later part had no response');
    if (result.data.items.some(({ kind }) => kind === 'unknown')) return unknownEffect('an item had no result');
    items.push(...result.data.items);
  }
  return accepted({ items });
}

/**
 * Reconciles with `find`. Once the bodies have expired and `find` returns `absent`, their nonces are burnt: only that proves
 * that nothing was done. With a used nonce absence never counts: the venue has read the body, and the reads may be wrong. Once they must have
 * caught up it is looked for rarely, until it is found or an operator ends it.
 */
export async function reconcileOrBurn<Result>(
  { intent, payload }: SentRequest<unknown, Signed>,
  deps: ExchangeDeps,
  find: () => Promise<Finding<Result>>,
): Promise<Finding<Result>> {
  const finding = await find();
  if (finding.kind !== 'absent' || !hasExpired(intent, deps)) return finding;
  const { evidence, counts } = await burnBodies(intent, payload, deps);
  if (evidence === 'burnt') return { ...finding, isOver: true };
  if (counts && evidence !== 'used') return finding;
  return counts
    ? { ...unknownEffect(LASTING), rarely: true }
    : unknownEffect(`absent, and the nonce is ${evidence}; reads may be behind`);
}

/** Why a doubt lasts that an operator may end: the SQL function `end_lasting_doubt` compares it. */
const LASTING = 'absent, and the nonce is used';

/**
 * Whether all reads of a sent body conclude something: they must have caught up with it, whatever the venue has read of it, and its nonces tell more
 * than nothing.
 */
export const areReadsSettled = async (
  intent: Pick<IntentOf<unknown>, 'sent_ago_ms'>,
  signed: Signed,
  deps: ExchangeDeps,
) =>
  intent.sent_ago_ms - exchangeTiming(deps).inFlightMs > LAGS_UNTIL_PROOF.used * deps.config.EXVENUE_READ_LAG_MS &&
  (await burn(deps, signed)) !== 'unknown';

/** Members of the request of a follow-up, by which it is recognised. */
export type FollowUp = { because_of?: string | undefined };

/**
 * Burns the nonces of bodies. `counts`: reads show their whole effect by now. With a burnt nonce this
 * holds at once. Without that proof it holds once the venue's reads must have caught up, and much later if a nonce was
 * used, because then the venue has read the body.
 */
export async function burnBodies(
  { sent_ago_ms }: Pick<IntentOf<unknown>, 'sent_ago_ms'>,
  signed: Signed,
  deps: ExchangeDeps,
  lagsUntilProof: Record<NonceEvidence, number> = LAGS_UNTIL_PROOF,
): Promise<{ evidence: NonceEvidence; counts: boolean }> {
  const evidence = await burn(deps, signed);
  const expiredMs = sent_ago_ms - exchangeTiming(deps).inFlightMs;
  const lags = lagsUntilProof[evidence];
  return { evidence, counts: evidence === 'burnt' || expiredMs > lags * deps.config.EXVENUE_READ_LAG_MS };
}

/** How many read lags must pass until absence counts. Infinite: until a no-op with the nonce could be sent. */
export const LAGS_UNTIL_PROOF = { burnt: 0, dead: 1, used: 10, unknown: Number.POSITIVE_INFINITY } as const;

/**
 * Records any result other than `accepted`. After a rate limit the venue has done nothing, so the intent is retried
 * within its deadline. A follow-up that the venue rejects has no caller to submit it again: it is looked up, as one in doubt, while its lane
 * goes on, and sent again for what is still owed. False: the claim is lost, or it is in doubt and nobody could submit it again.
 */
export async function recordOtherwise(
  { db }: Pick<ExchangeDeps, 'db'>,
  intent: Claim & Pick<IntentOf<FollowUp>, 'request' | 'state' | 'reconcile_attempts'>,
  result: Exclude<UpstreamResult<unknown>, { kind: 'accepted' }>,
): Promise<boolean> {
  if (result.kind !== 'rejected') return recordNoResponse(db, intent, result);
  const problem = problemOf(result);
  const isFollowUp = intent.request.because_of !== undefined;
  if (problem.code === 'VENUE_RATE_LIMITED')
    return (isFollowUp ? retry : retryOrFail)(db, intent, 1000 * (problem.retry_after_s ?? 1), problem);
  if (!isFollowUp || intent.state === 'in_doubt') return fail(db, intent, problem);
  const delayMs = nextReconcileMs(intent.reconcile_attempts);
  return markInDoubt(db, intent, delayMs, `rejected: ${problem.reason}`, { ended: true });
}

function problemOf({ slug, message, retryAfterS }: Rejected): Problem {
  if (slug === 'rate_limited' || slug === 'action_budget') {
    return { code: 'VENUE_RATE_LIMITED', reason: slug, message, retry_after_s: retryAfterS ?? 1 };
  }
  return { code: 'VENUE_REJECTED', reason: slug, message };
}
