import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../../kernel/seal.ts';
import type { Signer } from '../adapter/action-types.ts';
import type { Exvenue } from '../adapter/types.ts';
import { type LiveKey, liveKeyRow, type StoredKey } from './queries.ts';

/** The key that currently signs for a wallet, or null without an enrollment. Records its use at most once a minute. */
export const findLiveKey = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<LiveKey | null> =>
  db.maybeOne(sql.prepared('live_key', liveKeyRow)`
    with used as (
      update enrollments
      set last_used_at = now()
      where owner = ${owner} and ex_wallet = ${exWallet}
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select k.id, k.signer, k.sealed, k.verified_at is not null verified, k.rejected_at is not null rejected
    from signing_keys k
    where k.owner = ${owner} and k.ex_wallet = ${exWallet} and k.retired_at is null and not k.waits`);

/** The seal context of a signing key. */
export const keySealContext = (keyId: string): SealContext => ({ table: 'signing_keys', row: keyId, column: 'sealed' });

/** A stored key, ready to sign; null if it has been wiped. The plain key never leaves this function. */
export function openKey({ exvenue, sealer }: { exvenue: Exvenue; sealer: Sealer }, key: StoredKey): Signer | null {
  if (!key.sealed) return null;
  const signer = exvenue.signerOf(sealer.open(key.sealed, keySealContext(key.id)).toString('hex'));
  if (signer?.address !== key.signer) throw new Error('A sealed key does not belong to its signer');
  return signer;
}

/** Records that the exchange rejected a key. An agent's then signs nothing more; the wallet's own is not marked. */
export async function markKeyRejected(db: Db, keyId: string): Promise<void> {
  await db.query(sql.prepared('mark_key_rejected', z.object({}))`select mark_key_rejected(${keyId})`);
}

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
