import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const requestRow = z.custom<components['schemas']['ApiRequest']>();
const dayRow = z.custom<components['schemas']['DayOfUse']>();

/** A request of a caller, as it is listed. */
export type ApiRequest = z.infer<typeof requestRow>;

/** Which requests: of an operation, with a code, with an id, or those that failed or did not. */
export type RequestFilter = {
  operation?: string | undefined;
  code?: string | undefined;
  request_id?: string | undefined;
  failed?: boolean | undefined;
};

/**
 * A page of an owner's requests, newest first, before the one with the id `cursor`. Not prepared: the plan that is best without
 * a filter reads the owner's whole week for one.
 */
export const listRequests = (
  db: Db,
  owner: OwnerId,
  { operation, code, request_id, failed }: RequestFilter,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<readonly ApiRequest[]> =>
  db.any(sql.type(requestRow)`
    select r.id::text, r.at, r.operation, r.method, r.status, r.code, r.request_id, r.intent_id, r.caller, r.ms
    from api_requests r
    where r.owner = ${owner}
      and (${cursor}::bigint is null or r.id < ${cursor}::bigint)
      and (${operation ?? null}::text is null or r.operation = ${operation ?? null})
      and (${code ?? null}::text is null or r.status >= 400 and r.code = ${code ?? null})
      and (${request_id ?? null}::text is null
        or hashtextextended(r.request_id, 0) = hashtextextended(${request_id ?? null}, 0) and r.request_id = ${request_id ?? null})
      and ${failed === undefined ? sql.fragment`true` : failed ? sql.fragment`r.status >= 400` : sql.fragment`r.status < 400`}
    order by r.id desc
    limit ${limit}`);

/** Whether an owner has a request with this id. */
export const hasRequest = (db: Db, owner: OwnerId, id: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select from api_requests r where r.id::text = ${id} and r.id = nullif(${/^\d{1,18}$/.test(id) ? id : ''}, '')::bigint and r.owner = ${owner}`);

const DAYS = 90;

/** The days of an owner's requests, newest first, at most 90. */
export const listDays = (db: Db, owner: OwnerId): Promise<readonly z.infer<typeof dayRow>[]> =>
  db.any(sql.prepared('list_days_of_use', dayRow)`
    select u.day::text, sum(u.requests)::double precision as requests,
      coalesce(sum(u.requests) filter (where u.status_class >= 4), 0)::double precision as failed
    from api_usage u
    where u.owner = ${owner}
    group by u.day
    order by u.day desc
    limit ${DAYS}`);
