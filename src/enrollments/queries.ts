import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import { idSchema, type OwnerId, type WalletAddress, type WithIds } from '../kernel/ids.ts';
import type { PageRequest } from '../kernel/pages.ts';

const enrollmentRow = z.custom<
  WithIds<Omit<components['schemas']['SessionInfo'], 'agent_address' | 'is_agent' | 'status'>> & {
    signer: WalletAddress;
  }
>();

/** An enrollment with the public members of its live key. */
export type Enrollment = z.infer<typeof enrollmentRow>;

const enrollmentColumns = sql.fragment`
  e.ex_wallet, k.signer, e.payout_wallet, e.label, k.verified_at is not null as verified, w.signer as pending_agent_address, k.key_version, e.created_at,
  e.updated_at, e.last_used_at`;

const liveEnrollments = sql.fragment`
  enrollments e
  join signing_keys k on k.owner = e.owner and k.ex_wallet = e.ex_wallet and k.retired_at is null and not k.waits
  left join signing_keys w on w.owner = e.owner and w.ex_wallet = e.ex_wallet and w.retired_at is null and w.waits`;

/** An owner's enrollments, oldest first, after the wallet `cursor`. */
export const listEnrollments = (
  db: Db,
  owner: OwnerId,
  { cursor, limit }: PageRequest,
): Promise<readonly Enrollment[]> =>
  db.any(sql.prepared('list_enrollments', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner}
      and (${cursor}::text is null or (e.created_at, e.ex_wallet) > (
        select c.created_at, c.ex_wallet
        from enrollments c
        where c.owner = e.owner and c.ex_wallet = ${cursor}
      ))
    order by e.created_at, e.ex_wallet
    limit ${limit}`);

/** One enrollment of an owner, or null. The wallet must be in lower case. */
export const findEnrollment = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<Enrollment | null> =>
  db.maybeOne(sql.prepared('find_enrollment', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner} and e.ex_wallet = ${exWallet}`);

/** A stored key. */
export const keyRow = z.object({ id: z.string(), signer: idSchema.wallet, sealed: z.instanceof(Buffer).nullable() });

/** A stored key. `sealed` is null after the key has been wiped. */
export type StoredKey = z.infer<typeof keyRow>;

/** A key by its id, live or retired; null for an unknown id. */
export const findKey = (db: Db, keyId: string): Promise<StoredKey | null> =>
  db.maybeOne(sql.prepared('find_key', keyRow)`
    select k.id, k.signer, k.sealed
    from signing_keys k
    where k.id = ${keyId}`);

const inDoubtRow = z.object({ in_doubt: z.boolean() });

/** Whether an intent of this wallet that was signed with another key is still in doubt. */
export const hasInDoubtUnderOtherKeys = (db: Db, exWallet: WalletAddress, keyId: string): Promise<boolean> =>
  db.oneFirst(sql.prepared('in_doubt_under_other_keys', inDoubtRow)`
    select exists (
      select
      from intents i
      where i.state = 'in_doubt'
        and i.lane = ${`exvenue:${exWallet}`}
        and i.sent_payload ->> 'key_id' <> ${keyId}
    ) as in_doubt`);

const unverifiedRow = z.object({
  owner: idSchema.owner,
  ex_wallet: idSchema.wallet,
  signer: idSchema.wallet,
  id: z.string(),
});

/** Live keys that the exchange has not confirmed yet, oldest first. */
export const listUnverifiedKeys = (db: Db, limit: number): Promise<readonly z.infer<typeof unverifiedRow>[]> =>
  db.any(sql.type(unverifiedRow)`
    select k.owner, k.ex_wallet, k.signer, k.id
    from signing_keys k
    where k.verified_at is null and k.retired_at is null
    order by k.created_at
    limit ${limit}`);
