import { sql } from 'slonik';
import type { Db } from '../db/pool.ts';
import { type Signature, signatureColumns, signatureRow } from './queries.ts';

/** Who signs what, and from where. */
export type NewSignature = {
  app: string;
  userId: string;
  version: string;
  name: string;
  documentUrl: string | null;
  documentSha256: string | null;
  address: string;
  userAgent: string | null;
};

/** Adds a signature at the end of its app's chain. The same version signed again is a second row. */
export const signAgreement = (db: Db, signature: NewSignature): Promise<Signature> =>
  db.one(sql.prepared('sign_agreement', signatureRow)`
    select ${signatureColumns}
    from sign_agreement(
      ${signature.app}, ${signature.userId}, ${signature.version}, ${signature.name}, ${signature.documentUrl},
      ${signature.documentSha256}, ${signature.address}, ${signature.userAgent}
    ) s`);
