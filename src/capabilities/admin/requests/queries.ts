import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { WithIds } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const requestRow = z.custom<WithIds<components['schemas']['AccessRequest']>>();

/** An access request, with the state of its newest reveal link. */
export type AppRequest = z.infer<typeof requestRow>;

const requestColumns = sql.fragment`
  r.id as request_id, r.company_name, r.slug, r.contact_email, r.contact_name, r.website, r.use_case, r.status, r.app_id,
  r.decline_reason, r.created_at, r.decided_at, l.expires_at as link_expires_at, l.opened_at as link_opened_at`;

/** One access request, or null. */
export const findAppRequest = (db: Db, requestId: string): Promise<AppRequest | null> =>
  db.maybeOne(sql.prepared('find_app_request', requestRow)`
    select ${requestColumns}
    from app_requests r
    left join reveal_links l on l.app_id = r.app_id and l.superseded_at is null
    where r.id = ${requestId}`);

/** Access requests in a status, or (null) in any, newest first, after `cursor`. */
export const listAppRequests = (db: Db, status: string | null, page: PageRequest): Promise<readonly AppRequest[]> =>
  db.any(sql.prepared('list_app_requests', requestRow)`
    select ${requestColumns}
    from app_requests r
    left join reveal_links l on l.app_id = r.app_id and l.superseded_at is null
    where (${status}::text is null or r.status = ${status})
      and ${keysetPage({ table: 'app_requests', alias: 'r', order: 'newest first' }, page)}`);
