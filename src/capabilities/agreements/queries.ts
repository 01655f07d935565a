import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { AppId, UserId, WithIds } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';

/** A signature with every member of its row hash. */
export const signatureRow = z.custom<WithIds<components['schemas']['AgreementSignature']>>();

/** A stored signature. */
export type Signature = z.infer<typeof signatureRow>;

/** The columns of a full signature. */
export const signatureColumns = sql.fragment`
  s.id, s.app as app_id, s.user_id, s.position as place, s.agreement_version, s.signature_name, s.document_url, s.document_sha256,
  s.address, s.user_agent, s.signed_at, s.previous_hash, s.row_hash`;

/** A page of a user's signatures, newest first, after the signature `cursor`. */
export const listSignatures = (
  db: Db,
  app: AppId,
  userId: UserId,
  { cursor, limit }: PageRequest,
): Promise<readonly Signature[]> =>
  db.any(sql.prepared('list_signatures', signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and s.user_id = ${userId}
      and (${cursor}::text is null or s.position < (select c.position from agreement_signatures c where c.id = ${cursor}))
    order by s.position desc
    limit ${limit}`);

/** Whether a user has the signature with this id. */
export const hasSignature = (db: Db, app: AppId, userId: UserId, id: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select from agreement_signatures s where s.id = ${id} and s.app = ${app} and s.user_id = ${userId}`);

/** The newest signature of a user, or null. */
export const findNewestSignature = (db: Db, app: AppId, userId: UserId): Promise<Signature | null> =>
  db.maybeOne(sql.prepared('newest_signature', signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and s.user_id = ${userId}
    order by s.position desc
    limit 1`);
