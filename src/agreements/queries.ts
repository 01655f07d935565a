import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

/** A signature, with all its row hash is made of. */
export const signatureRow = z.object({
  id: z.string(),
  app_id: z.string(),
  user_id: z.string(),
  place: z.number(),
  agreement_version: z.string(),
  signature_name: z.string(),
  document_url: z.string().nullable(),
  document_sha256: z.string().nullable(),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  signed_at: z.string(),
  previous_hash: z.string(),
  row_hash: z.string(),
});

export type Signature = z.infer<typeof signatureRow>;

/** Columns of a signature, for queries that read it whole. */
export const signatureColumns = sql.fragment`
  s.id, s.app as app_id, s.user_id, s.place, s.agreement_version, s.signature_name, s.document_url, s.document_sha256,
  s.address, s.user_agent, s.signed_at, s.previous_hash, s.row_hash`;

/** Every signature of a user, newest first. */
export const listSignatures = (db: Db, app: string, userId: string): Promise<readonly Signature[]> =>
  db.any(sql.prepared('list_signatures', signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and s.user_id = ${userId}
    order by s.place desc`);

/** The newest signature of a user, or null. */
export const findNewestSignature = (db: Db, app: string, userId: string): Promise<Signature | null> =>
  db.maybeOne(sql.prepared('newest_signature', signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and s.user_id = ${userId}
    order by s.place desc
    limit 1`);

/** One app's chain from behind a place on, in order. */
export const readChain = (db: Db, app: string, afterPlace: number, limit: number): Promise<readonly Signature[]> =>
  db.any(sql.type(signatureRow)`
    select ${signatureColumns}
    from agreement_signatures s
    where s.app = ${app} and s.place > ${afterPlace}
    order by s.place, s.id
    limit ${limit}`);

const chainRow = z.object({ app: z.string(), length: z.number(), last_hash: z.string().nullable() });

/** How far each chain should have come; an app with rows but no record of them has length 0. */
export const listChains = (db: Db): Promise<readonly z.infer<typeof chainRow>[]> =>
  db.any(sql.type(chainRow)`
    select a.app, coalesce(c.length, 0) as length, c.last_hash
    from (
      select app from agreement_chains
      union
      select app from agreement_signatures
    ) a
    left join agreement_chains c on c.app = a.app
    order by a.app`);
