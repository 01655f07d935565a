import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId, WalletAddress, WithIds } from '../../kernel/ids.ts';
import type { Place } from '../../kernel/pages.ts';

const enrollmentRow = z.custom<
  WithIds<Omit<components['schemas']['SessionInfo'], 'agent_address' | 'is_agent'>> & {
    signer: WalletAddress;
  }
>();

/** An enrollment with the public members of its live key. */
export type Enrollment = z.infer<typeof enrollmentRow>;

const enrollmentColumns = sql.fragment`
  e.ex_wallet, k.signer, e.payout_wallet, e.label, k.verified_at is not null as verified, k.valid_until,
  case when k.rejected_at is null then 'enrolled' else 'rejected_by_venue' end as status, w.signer as pending_agent_address, k.key_version, e.created_at,
  e.updated_at, e.last_used_at`;

const liveEnrollments = sql.fragment`
  enrollments e
  join signing_keys k on k.owner = e.owner and k.ex_wallet = e.ex_wallet and k.retired_at is null and not k.waits
  left join signing_keys w on w.owner = e.owner and w.ex_wallet = e.ex_wallet and w.retired_at is null and w.waits`;

/** An owner's enrollments after a position, oldest first. */
export const listEnrollments = (
  db: Db,
  owner: OwnerId,
  after: Place | null,
  limit: number,
): Promise<readonly Enrollment[]> =>
  db.any(sql.prepared('list_enrollments', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner}
      and (${after?.id ?? null}::text is null
        or (date_trunc('milliseconds', e.created_at), e.ex_wallet) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
    order by date_trunc('milliseconds', e.created_at), e.ex_wallet
    limit ${limit}`);

/** Whether an owner has, or ever had, an enrollment of this wallet. */
export const wasEnrolled = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<boolean> =>
  db.exists(sql.prepared('was_enrolled', z.object({}))`
    select from signing_keys k where k.owner = ${owner} and k.ex_wallet = ${exWallet}`);

/** One enrollment of an owner, or null. The wallet must be in lower case. */
export const findEnrollment = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<Enrollment | null> =>
  db.maybeOne(sql.prepared('find_enrollment', enrollmentRow)`
    select ${enrollmentColumns}
    from ${liveEnrollments}
    where e.owner = ${owner} and e.ex_wallet = ${exWallet}`);
