import { sql } from 'slonik';
import { z } from 'zod';
import type { ErrorCode } from '../kernel/error-codes.ts';
import type { ErrorDetails } from '../kernel/errors.ts';
import type { SealContext, Sealer } from '../kernel/seal.ts';
import type { Db } from './pool.ts';

/** A reservation counts as abandoned after this time, which is longer than any request lasts. */
export const ABANDONED_S = 60;

/**
 * The stored first response of a write. `problem`: the error with which the write ended. `replacedBy`: until this Unix time in ms the request that
 * wrote it may replace it by the outcome that it waits for.
 */
export type IdempotentResponse = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  problem?: { code: ErrorCode; details: ErrorDetails };
  replacedBy?: number;
};

/**
 * One use of an Idempotency-Key: the caller, the key, and the digest of the request in hex. `owner`: that of the caller's intents, which may have
 * the key already.
 */
export type KeyUse = { caller: string; key: string; digest: string; owner?: string };

const reservation = z.object({
  verdict: z.enum(['fresh', 'under_way', 'kept', 'key_reused']),
  status: z.number().nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});

/** Reserves a key, or returns its state. Only with the verdict `fresh` may the caller write. */
export async function reserveKey(
  db: Db,
  sealer: Sealer,
  use: KeyUse,
): Promise<{ verdict: 'fresh' | 'under_way' | 'key_reused' } | { verdict: 'kept'; response: IdempotentResponse }> {
  const { verdict, sealed } = await reserve(sealer.hmacs(use.digest, sealContextOf(use)));
  if (!sealed) return { verdict: verdict === 'kept' ? 'under_way' : verdict };
  const { request, ...response } = JSON.parse(sealer.open(sealed, sealContextOf(use)).toString());
  // the digest may be under a key that was removed from the ring; the sealed response was moved to another
  if (verdict === 'key_reused' && request !== use.digest) return { verdict };
  return { verdict: 'kept', response };

  /** A request may contain a password, so its digest is stored under a key. An earlier use may be under an older one. */
  async function reserve([hmac, ...others]: [Buffer, ...Buffer[]]): Promise<z.infer<typeof reservation>> {
    const reserved = await db.one(sql.prepared('reserve_key', reservation)`
      select verdict, status, sealed
      from reserve_key(${use.caller}, ${use.key}, ${sql.binary(hmac)}, ${ABANDONED_S}, ${use.owner ?? null})`);
    const [next, ...rest] = others;
    return reserved.verdict === 'key_reused' && next ? reserve([next, ...rest]) : reserved;
  }
}

/**
 * Stores the response of a request that wrote, sealed. False, and nothing is stored, if another request with the same
 * key has stored its response meanwhile.
 */
export async function keepResponse(
  db: Db,
  sealer: Sealer,
  use: KeyUse,
  response: IdempotentResponse,
): Promise<boolean> {
  const sealed = sealResponse(sealer, use, response);
  const { rowCount } = await db.query(sql.prepared('keep_response', z.object({}))`
    update idempotent_responses
    set status = ${response.status}, sealed = ${sql.binary(sealed)}
    where caller = ${use.caller} and key = ${use.key} and status is null`);
  return rowCount === 1;
}

/** Replaces the stored response of a write by the later reply of the same request, which has waited for more. */
export async function replaceResponse(
  db: Db,
  sealer: Sealer,
  use: KeyUse,
  response: IdempotentResponse,
): Promise<void> {
  const sealed = sealResponse(sealer, use, response);
  await db.query(sql.prepared('replace_response', z.object({}))`
    update idempotent_responses
    set status = ${response.status}, sealed = ${sql.binary(sealed)}
    where caller = ${use.caller} and key = ${use.key} and status is not null`);
}

/** Releases the key of a request that wrote nothing, or (`isStored`) whose write failed in a way that does not spend it. */
export async function releaseKey(db: Db, { caller, key }: KeyUse, isStored: boolean): Promise<void> {
  await db.query(sql.prepared('release_key', z.object({}))`
    delete from idempotent_responses
    where caller = ${caller} and key = ${key} and (status is not null) = ${isStored}`);
}

/** The request is stored with its response, so that it is recognised for as long as the response can be opened. */
const sealResponse = (sealer: Sealer, use: KeyUse, response: IdempotentResponse): Buffer =>
  sealer.seal(JSON.stringify({ ...response, request: use.digest }), sealContextOf(use));

const sealContextOf = ({ caller, key }: KeyUse): SealContext => ({
  table: 'idempotent_responses',
  row: `${caller} ${key}`,
  column: 'sealed',
});
