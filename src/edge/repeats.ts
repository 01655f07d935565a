import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { giveKeyBack, type KeptAnswer, type KeyUse, keepAnswer, reserveKey } from '../db/kept-answers.ts';
import { callerId } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Call } from './handler.ts';

const LOOK_MS = 100;
const LONGEST_WAIT_MS = 20_000;

/**
 * Runs a write that needs no intent once per Idempotency-Key, and gives its first answer again to the same request. Operations
 * backed by an intent do so by their intent; for them, and without a key, this only runs.
 */
export async function keptAnswer(
  ctx: Context,
  operation: Operation,
  { asking, principal, runtime }: Call,
  run: () => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  if (!operation.keepsAnswers || !asking.idempotency_key) return run();
  const use: KeyUse = { caller: callerId(principal), key: asking.idempotency_key, digest: asking.digest };
  const earlier = await earlierAnswer(runtime, use);
  if (!earlier) return runAndKeep(runtime, use, run);
  ctx.set('Idempotent-Replayed', 'true');
  return earlier;
}

async function earlierAnswer({ db, sealer }: Call['runtime'], use: KeyUse): Promise<KeptAnswer | null> {
  const until = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const reserved = await reserveKey(db, sealer, use);
    if (reserved.verdict === 'fresh') return null;
    if (reserved.verdict === 'kept') return reserved.answer;
    if (reserved.verdict === 'key_reused') throw new Refusal('IDEMPOTENCY_KEY_REUSED');
    if (Date.now() > until) throw new Refusal('SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: true });
    await sleep(LOOK_MS);
  }
}

/** A refusal wrote nothing and leaves the key free. Any other fault leaves it reserved, since something may have been written. */
async function runAndKeep(
  { db, sealer }: Call['runtime'],
  use: KeyUse,
  run: () => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  try {
    const { status, body, headers } = await run();
    await keepAnswer(db, sealer, use, { status, body, ...(headers && { headers }) });
    return { status, body, ...(headers && { headers }) };
  } catch (error) {
    if (error instanceof Refusal) await giveKeyBack(db, use);
    throw error;
  }
}
