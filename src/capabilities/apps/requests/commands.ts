import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { digest, hintOf, idSchema, newId, newSecret, normalisedEmail } from '../../../kernel/ids.ts';

/**
 * Stores an access request and returns its id. It does not check whether the slug is free: the public must not learn
 * that, and the operator sees it.
 */
export async function fileAppRequest(db: Db, request: components['schemas']['CreateAppRequest']): Promise<string> {
  const requestId = newId('req');
  await db.query(sql.prepared('file_app_request', z.object({}))`
    insert into app_requests (id, company_name, slug, contact_email, contact_name, website, use_case)
    values (
      ${requestId}, ${request.company_name}, ${request.slug}, ${normalisedEmail(request.contact_email)},
      ${request.contact_name ?? null}, ${request.website ?? null}, ${request.use_case}
    )`);
  return requestId;
}

const openedRow = z.object({ app_id: idSchema.app, name: z.string() });

/** What a reveal link shows: the credentials created when it is opened. */
export type Revealed = z.infer<typeof openedRow> & { client_secret: string };

/** Opens a reveal link. Of several concurrent calls exactly one gets the secret; every other call returns null. */
export async function openRevealLink(db: Db, token: string): Promise<Revealed | null> {
  const secret = newSecret('csk');
  const opened = await db.maybeOne(sql.prepared('open_reveal_link', openedRow)`
    select o.app_id, o.name
    from open_reveal_link(
      ${sql.binary(digest(token))}, ${newId('sec')}, ${sql.binary(digest(secret))}, ${hintOf(secret)}
    ) o`);
  return opened && { ...opened, client_secret: secret };
}
