import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import {
  type IdempotentResponse,
  type KeyUse,
  keepResponse,
  releaseKey,
  reserveKey,
} from '../db/idempotent-responses.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerId } from '../kernel/principal.ts';
import type { EdgeDeps } from './deps.ts';
import type { Call } from './handler.ts';

type Keeper = Pick<EdgeDeps, 'db' | 'sealer'>;

const POLL_MS = 100;
const LONGEST_WAIT_MS = 26_000; // a first request that waits for its outcome takes up to 25 s

type KeyedCall = { ctx: Context; call: Pick<Call, 'context' | 'principal'>; deps: Keeper };

/**
 * Runs a write without an intent once per Idempotency-Key, and returns the first response again for a repeat of the
 * same request. Without a key it only runs the write. Throws IDEMPOTENCY_KEY_REUSED for another request with the same
 * key, and SERVICE_UNAVAILABLE if the first request does not end within 26 s.
 */
export async function idempotentResponse(
  { ctx, call: { context, principal }, deps }: KeyedCall,
  run: () => Promise<IdempotentResponse>,
): Promise<IdempotentResponse> {
  if (!context.idempotency_key) return run();
  const use: KeyUse = { caller: callerId(principal), key: context.idempotency_key, digest: context.digest };
  const earlier = await earlierResponse(deps, use);
  if (!earlier) return runAndStore(deps, use, run);
  ctx.set('Idempotent-Replayed', 'true');
  return earlier;
}

async function earlierResponse({ db, sealer }: Keeper, use: KeyUse): Promise<IdempotentResponse | null> {
  const until = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const reserved = await reserveKey(db, sealer, use);
    if (reserved.verdict === 'fresh') return null;
    if (reserved.verdict === 'kept') return reserved.response;
    if (reserved.verdict === 'key_reused') throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    if (Date.now() > until) throw new ApiError('SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: true });
    await sleep(POLL_MS);
  }
}

/**
 * An `ApiError` means that nothing was written: the key is released. After any other fault it stays reserved, as data
 * may be written.
 */
async function runAndStore(
  { db, sealer }: Keeper,
  use: KeyUse,
  run: () => Promise<IdempotentResponse>,
): Promise<IdempotentResponse> {
  try {
    const { status, body, headers } = await run();
    await keepResponse(db, sealer, use, { status, body, ...(headers && { headers }) });
    return { status, body, ...(headers && { headers }) };
  } catch (error) {
    if (error instanceof ApiError) await releaseKey(db, use);
    throw error;
  }
}
