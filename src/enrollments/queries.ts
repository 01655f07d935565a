import { sql } from 'slonik';
import { z } from 'zod';
import type { Exvenue, Signer } from '../adapters/exvenue/types.ts';
import type { Db } from '../db/pool.ts';
import type { Place, Sealer } from '../kernel/seal.ts';

const enrollmentRow = z.object({
  ex_wallet: z.string(),
  signer: z.string(),
  payout_wallet: z.string().nullable(),
  label: z.string().nullable(),
  verified: z.boolean(),
  key_version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  last_used_at: z.string().nullable(),
});

/** An enrollment with its live key's public side. */
export type Enrollment = z.infer<typeof enrollmentRow>;

const enrollmentColumns = sql.fragment`
  e.ex_wallet, k.signer, e.payout_wallet, e.label, k.verified_at is not null as verified, k.key_version, e.created_at,
  e.updated_at, e.last_used_at`;

const liveEnrollments = sql.fragment`
  enrollments e
  join signing_keys k on k.owner = e.owner and k.ex_wallet = e.ex_wallet and k.retired_at is null`;

/** Every enrollment of an owner, oldest first. */
export const listEnrollments = (db: Db, owner: string): Promise<readonly Enrollment[]> =>
  db.any(sql.prepared('list_enrollments', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner}
    order by e.created_at, e.ex_wallet`);

/** One enrollment of an owner; the wallet in lower case. */
export const findEnrollment = (db: Db, owner: string, exWallet: string): Promise<Enrollment | null> =>
  db.maybeOne(sql.prepared('find_enrollment', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner} and e.ex_wallet = ${exWallet}`);

const keyRow = z.object({ id: z.string(), signer: z.string(), sealed: z.instanceof(Buffer).nullable() });

/** A key as it is stored; `sealed` is null once it has been wiped. */
export type StoredKey = z.infer<typeof keyRow>;

/** The key that signs for a wallet now, and notes its use at most once a minute. Null without an enrollment. */
export const findLiveKey = (db: Db, owner: string, exWallet: string): Promise<StoredKey | null> =>
  db.maybeOne(sql.prepared('live_key', keyRow)`
    with used as (
      update enrollments
      set last_used_at = now()
      where owner = ${owner} and ex_wallet = ${exWallet}
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select k.id, k.signer, k.sealed
    from signing_keys k
    where k.owner = ${owner} and k.ex_wallet = ${exWallet} and k.retired_at is null`);

/** A key by its id, live or retired. */
export const findKey = (db: Db, keyId: string): Promise<StoredKey | null> =>
  db.maybeOne(sql.prepared('find_key', keyRow)`
    select k.id, k.signer, k.sealed
    from signing_keys k
    where k.id = ${keyId}`);

/** Where a signing key lies sealed. */
export const keyPlace = (keyId: string): Place => ({ table: 'signing_keys', row: keyId, column: 'sealed' });

/** A stored key, ready to sign; null when it has been wiped. The plain key never leaves this function. */
export function openKey({ exvenue, sealer }: { exvenue: Exvenue; sealer: Sealer }, key: StoredKey): Signer | null {
  if (!key.sealed) return null;
  const signer = exvenue.signerOf(sealer.open(key.sealed, keyPlace(key.id)).toString('hex'));
  if (signer?.address !== key.signer) throw new Error('A sealed key does not belong to its signer');
  return signer;
}

/** The first of `count` fresh nonces of a signer; the others follow it one by one. Never given twice. */
export const nextNonce = async (db: Db, signer: string, count = 1): Promise<number> => {
  const last = await db.oneFirst(sql.prepared('next_nonce', z.object({ nonce: z.number() }))`
    select next_nonce(${signer}, ${count}) nonce`);
  return last - count + 1;
};

const doubtful = z.object({ doubtful: z.boolean() });

/** Whether something signed with another key of this wallet is still in doubt. */
export const hasDoubtsUnderOtherKeys = (db: Db, exWallet: string, keyId: string): Promise<boolean> =>
  db.oneFirst(sql.prepared('doubts_under_other_keys', doubtful)`
    select exists (
      select
      from intents i
      where i.state = 'in_doubt'
        and i.lane = ${`exvenue:${exWallet}`}
        and i.sent ->> 'key_id' <> ${keyId}
    ) as doubtful`);

const unverifiedRow = z.object({ owner: z.string(), ex_wallet: z.string(), signer: z.string(), id: z.string() });

/** Live keys the exchange has not confirmed yet, oldest first. */
export const listUnverifiedKeys = (db: Db, limit: number): Promise<readonly z.infer<typeof unverifiedRow>[]> =>
  db.any(sql.type(unverifiedRow)`
    select k.owner, k.ex_wallet, k.signer, k.id
    from signing_keys k
    where k.verified_at is null and k.retired_at is null
    order by k.created_at
    limit ${limit}`);
