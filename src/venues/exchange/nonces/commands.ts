import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { idSchema, type WalletAddress } from '../../../kernel/ids.ts';

/**
 * Reserves `count` nonces of a signer and returns the first; the others follow consecutively. No nonce is returned
 * twice.
 */
export const nextNonce = async (db: Db, signer: WalletAddress, count = 1): Promise<number> => {
  const last = await db.oneFirst(sql.prepared('next_nonce', z.object({ nonce: z.number() }))`
    select next_nonce(${signer}, ${count}) nonce`);
  return last - count + 1;
};

/** Records that a no-op is about to be sent with a nonce. False if one was recorded before. */
export async function noteBurning(db: Db, signer: WalletAddress, nonce: number): Promise<boolean> {
  const noted = await db.maybeOne(sql.prepared('note_burning', z.object({ signer: idSchema.wallet }))`
    insert into burnt_nonces (signer, nonce)
    values (${signer}, ${nonce})
    on conflict do nothing
    returning signer`);
  return noted !== null;
}

/** Forgets a no-op that has used no nonce. */
export async function forgetBurning(db: Db, signer: WalletAddress, nonce: number): Promise<void> {
  await db.query(sql.prepared('forget_burning', z.object({}))`
    delete from burnt_nonces
    where signer = ${signer} and nonce = ${nonce}`);
}
