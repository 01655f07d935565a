import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { type AppId, newIntentId, type UserId } from '../../kernel/ids.ts';
import { type Signature, signatureColumns, signatureRow } from './queries.ts';

/** A signature to store: the signer, the agreement, and the address and user agent of the request. */
export type NewSignature = {
  app: AppId;
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

const MAIL_LIVES_S = 3 * 86_400;

/** Mails a signer the receipt, so that a copy is kept outside this service. Part of the signature's transaction. */
export async function mailReceipt(
  db: Db,
  userId: UserId,
  { version, receipt }: { version: string; receipt: object },
): Promise<void> {
  const data = JSON.stringify({ version, receipt: JSON.stringify(receipt) });
  await db.query(sql.prepared('mail_agreement_signed', z.object({}))`
    select mail_user(${userId}, 'agreement_signed', ${newIntentId()}, ${data}::jsonb, ${MAIL_LIVES_S})`);
}
