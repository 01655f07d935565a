import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { idSchema, type OwnerId, type UserId } from '../../kernel/ids.ts';
import { kycStatuses } from './rules.ts';

/** The row of a verification case. */
export const caseRow = z.object({
  userId: idSchema.user,
  provider: z.string(),
  sessionId: z.string(),
  status: z.enum(kycStatuses),
  statusAtMs: z.number(),
  failureReason: z.string().nullable(),
  verifiedAt: z.string().nullable(),
});

/** A user's verification case. */
export type KycCase = z.infer<typeof caseRow>;

/** The columns of a verification case; the row has the alias `k`. */
export const caseColumns = sql.fragment`
  k.user_id as "userId", k.provider, k.session_id as "sessionId", k.status, k.failure_reason as "failureReason",
  k.verified_at as "verifiedAt", coalesce(extract(epoch from k.status_at), 0)::double precision * 1000 as "statusAtMs"`;

/** The case of a user, or null if none was ever opened. */
export const findKycCase = (db: Db, owner: OwnerId, userId: UserId): Promise<KycCase | null> =>
  db.maybeOne(sql.prepared('find_kyc_case', caseRow)`
    select ${caseColumns}
    from kyc_cases k
    where k.user_id = ${userId} and k.owner = ${owner}`);

const levelRow = z.object({ verification_level: z.string(), return_url: z.string().nullable() });

/** The verification level of an app, and the URL its users return to. */
export const getVerificationTerms = (db: Db, owner: OwnerId): Promise<z.infer<typeof levelRow>> =>
  db.one(sql.prepared('verification_terms', levelRow)`
    select a.verification_level, a.connect_return_url as return_url
    from apps a
    where a.id = ${owner}`);
