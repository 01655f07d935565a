import { sql } from 'slonik';
import { z } from 'zod';
import { dueForLook } from '../db/looks.ts';
import type { Db } from '../db/pool.ts';
import { kycStatuses } from './rules.ts';

const caseRow = z.object({
  user_id: z.string(),
  owner: z.string(),
  provider: z.string(),
  session_id: z.string(),
  status: z.enum(kycStatuses),
  status_at_ms: z.number(),
  failure_reason: z.string().nullable(),
  verified_at: z.string().nullable(),
});

export type KycCase = z.infer<typeof caseRow>;

const caseColumns = sql.fragment`
  k.user_id, k.owner, k.provider, k.session_id, k.status, k.failure_reason, k.verified_at,
  coalesce(extract(epoch from k.status_at), 0)::double precision * 1000 as status_at_ms`;

/** The case of a user, or null where none was ever opened. */
export const findKycCase = (db: Db, owner: string, userId: string): Promise<KycCase | null> =>
  db.maybeOne(sql.prepared('find_kyc_case', caseRow)`
    select ${caseColumns}
    from kyc_cases k
    where k.user_id = ${userId} and k.owner = ${owner}`);

/** The case a session belongs to, by our name for the user or the session's own; held until the transaction ends. */
export const lockKycCase = (
  tx: Pick<Db, 'maybeOne'>,
  { userId, sessionId }: { userId: string | null; sessionId: string },
): Promise<KycCase | null> =>
  tx.maybeOne(sql.prepared('lock_kyc_case', caseRow)`
    select ${caseColumns}
    from kyc_cases k
    where k.user_id = ${userId} or k.session_id = ${sessionId}
    order by k.session_id = ${sessionId} desc
    limit 1
    for update`);

const levelRow = z.object({ verification_level: z.string(), return_url: z.string().nullable() });

/** How thoroughly an app has its users verified, and where they come back to. */
export const getVerificationTerms = (db: Db, owner: string): Promise<z.infer<typeof levelRow>> =>
  db.one(sql.prepared('verification_terms', levelRow)`
    select a.verification_level, a.connect_return_url as return_url
    from apps a
    where a.id = ${owner}`);

const sessionRow = z.object({ session_id: z.string() });

/** Sessions that are open and due for a look, at most so many; they are due again `everyS` seconds later. */
export const takeOpenSessions = (
  db: Db,
  everyS: number,
  most: number,
): Promise<readonly z.infer<typeof sessionRow>[]> =>
  db.any(sql.type(sessionRow)`
    update kyc_cases k
    set looked_at = now()
    where k.user_id in (${dueForLook(
      { table: 'kyc_cases', key: 'user_id', since: 'created_at' },
      sql.fragment`t.verified_at is null and t.created_at > now() - interval '30 days'`,
      { everyS, most },
    )})
    returning k.session_id`);
