import { CheckIntegrityConstraintViolationError, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId, WalletAddress } from '../../kernel/ids.ts';

const nothing = z.object({});

/** A key to enroll. Addresses in lower case; `sealed` is the sealed private key. `validUntilMs` (epoch ms): when the agent ends. */
export type NewKey = {
  owner: OwnerId;
  exWallet: WalletAddress;
  keyId: string;
  signer: WalletAddress;
  sealed: Buffer;
  verified: boolean;
  validUntilMs: number | null;
  payoutWallet: string | null;
  label: string | null;
};

/**
 * Enrolls a key and retires the live key of the wallet, if it is another. An unverified key waits beside a verified one
 * until the exchange confirms it. Throws V1_AGENT_RETIRED for a retired agent.
 */
export async function saveKey(db: Db, key: NewKey): Promise<void> {
  try {
    await db.query(sql.prepared('enroll_key', nothing)`
      select enroll_key(${key.owner}, ${key.exWallet}, ${key.keyId}, ${key.signer}, ${sql.binary(key.sealed)},
        ${key.verified}, ${key.payoutWallet}, ${key.label}, to_timestamp(${key.validUntilMs}::double precision / 1000))`);
  } catch (error) {
    if (error instanceof CheckIntegrityConstraintViolationError && error.constraint === 'signing_keys_agent_retired') {
      throw new ApiError('V1_AGENT_RETIRED');
    }
    throw error;
  }
}

/** Revokes an enrollment and wipes its keys. False if there is no enrollment. */
export const revokeEnrollment = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<boolean> =>
  db.oneFirst(sql.prepared('revoke_enrollment', z.object({ ok: z.boolean() }))`
    select revoke_enrollment(${owner}, ${exWallet}) ok`);
