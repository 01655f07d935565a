import { sql } from 'slonik';
import type { Db } from '../db/pool.ts';
import type { UserId } from '../kernel/ids.ts';
import { type Signature, signatureColumns, signatureRow } from './queries.ts';

/** A signature to store: the signer, the agreement, and the address and user agent of the request. */
export type NewSignature = {
  app: string;
  userId: UserId;
  version: string;
  name: string;
  documentUrl: string | null;
  documentSha256: string | null;
  address: string;
  userAgent: string | null;
};

/** Appends a signature to its app's chain. Signing the same version again adds a second row. */
export const signAgreement = (db: Db, signature: NewSignature): Promise<Signature> =>
  db.one(sql.prepared('sign_agreement', signatureRow)`
    select ${signatureColumns}
    from sign_agreement(
      ${signature.app}, ${signature.userId}, ${signature.version}, ${signature.name}, ${signature.documentUrl},
      ${signature.documentSha256}, ${signature.address}, ${signature.userAgent}
    ) s`);
