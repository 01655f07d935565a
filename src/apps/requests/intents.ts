import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { digest } from '../../kernel/digest.ts';
import { normalisedEmail } from '../../kernel/emails.ts';
import { newId, newSecret } from '../../kernel/ids.ts';

/** Files an access request. Whether its slug is free is for the operator to see: the public is not told. */
export async function fileAppRequest(db: Db, asked: components['schemas']['CreateAppRequest']): Promise<string> {
  const requestId = newId('req');
  await db.query(sql.prepared('file_app_request', z.object({}))`
    insert into app_requests (id, company_name, slug, contact_email, contact_name, website, use_case)
    values (
      ${requestId}, ${asked.company_name}, ${asked.slug}, ${normalisedEmail(asked.contact_email)},
      ${asked.contact_name ?? null}, ${asked.website ?? null}, ${asked.use_case}
    )`);
  return requestId;
}

const openedRow = z.object({ app_id: z.string(), name: z.string() });

/** What a reveal link shows: the credentials made by opening it. */
export type Revealed = z.infer<typeof openedRow> & { client_secret: string };

/** Opens a reveal link. Of many who open it at once exactly one gets the secret; null for everyone else. */
export async function openRevealLink(db: Db, token: string): Promise<Revealed | null> {
  const secret = newSecret('csk');
  const opened = await db.maybeOne(sql.prepared('open_reveal_link', openedRow)`
    select o.app_id, o.name
    from open_reveal_link(${sql.binary(digest(token))}, ${newId('sec')}, ${sql.binary(digest(secret))}) o`);
  return opened && { ...opened, client_secret: secret };
}
