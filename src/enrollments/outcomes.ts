import { CheckIntegrityConstraintViolationError, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { Refusal } from '../kernel/refusals.ts';

const nothing = z.object({});

export type NewKey = {
  owner: string;
  exWallet: string;
  keyId: string;
  signer: string;
  sealed: Buffer;
  verified: boolean;
  payoutWallet: string | null;
  label: string | null;
};

/** Enrolls a key in place of the live one, if there is another. Refuses an agent that was retired. */
export async function saveKey(db: Db, key: NewKey): Promise<void> {
  try {
    await db.query(sql.prepared('enroll_key', nothing)`
      select enroll_key(${key.owner}, ${key.exWallet}, ${key.keyId}, ${key.signer}, ${sql.binary(key.sealed)},
        ${key.verified}, ${key.payoutWallet}, ${key.label})`);
  } catch (error) {
    if (error instanceof CheckIntegrityConstraintViolationError && error.constraint === 'signing_keys_agent_retired') {
      throw new Refusal('V1_AGENT_RETIRED');
    }
    throw error;
  }
}

/** Revokes an enrollment and wipes its keys. False when there is none. */
export const revokeEnrollment = (db: Db, owner: string, exWallet: string): Promise<boolean> =>
  db.oneFirst(sql.prepared('revoke_enrollment', z.object({ ok: z.boolean() }))`
    select revoke_enrollment(${owner}, ${exWallet}) ok`);

/** Notes that the exchange confirmed a key. */
export async function noteVerified(db: Db, keyId: string): Promise<void> {
  await db.query(sql.type(nothing)`
    update signing_keys
    set verified_at = now()
    where id = ${keyId} and verified_at is null`);
}

/** Wipes the keys that were rotated out and that nothing open was signed with. Answers how many. */
export const wipeRetiredKeys = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select wipe_retired_keys() count`);
