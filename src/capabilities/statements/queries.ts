import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { keysetPage } from '../../db/keyset.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { credentialId, type Principal } from '../../kernel/principal.ts';

type Of = components['schemas']['PartnerStatementLine'];
type Either = Of | components['schemas']['AppStatementLine'];

const lineRow = z.custom<
  Omit<Of, 'kind' | 'what' | 'venue' | 'trader_id'> &
    Pick<Either, 'kind' | 'what'> & { venue: Of['venue'] | null; account: string | null; user_id: string | null }
>();

/** One line of a statement. Amounts are decimals: cents of payments and payouts of apps, units of `currency` else. */
export type StatementLine = z.infer<typeof lineRow>;

/** Which lines: those of a kind, from a time on, and before a time (ISO 8601). */
export type StatementFilter = { kind?: string | undefined; from?: string | undefined; to?: string | undefined };

type Page = { cursor: string | null; limit: number };

/**
 * Lines of an app or a partner in the order of their times, after the line `cursor`, at most `limit`. Not prepared: a plan that
 * is kept for all owners, with and without a cursor, reads a long statement from its start.
 */
export const listLines = (
  db: Db,
  owner: OwnerId,
  { kind, from, to }: StatementFilter,
  page: Page,
): Promise<readonly StatementLine[]> =>
  db.any(sql.type(lineRow)`
    select l.id, l.kind, l.what, l.at, l.venue, l.account, l.user_id, l.reference, l.pair, l.side,
      trim_scale(l.quantity)::text as quantity, trim_scale(l.price)::text as price, trim_scale(l.amount)::text as amount, l.currency
    from statement_lines l
    where l.owner = ${owner}
      and l.at >= coalesce(${from ?? null}::timestamptz, '-infinity')
      and l.at < coalesce(${to ?? null}::timestamptz, 'infinity')
      and (${kind ?? null}::text is null or l.kind = ${kind ?? null})
      and ${keysetPage({ table: 'statement_lines', alias: 'l', time: 'at', order: 'oldest first' }, page)}`);

/** Whether an app or a partner has a line with this id. */
export const hasLine = (db: Db, owner: OwnerId, id: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select from statement_lines l where l.id = ${id} and l.owner = ${owner}`);

/**
 * Whether a partner or an app may still be sent what it asked for: it is not disabled, and its key or the secret of its token has
 * not ended. A token that only expires meanwhile has served its purpose.
 */
export const maySee = (db: Db, principal: Principal): Promise<boolean> =>
  db.exists(sql.prepared('may_see_statement', z.object({}))`
    select k.id
    from partner_keys k
    join partners p on p.id = k.partner_id
    where k.id = ${credentialId(principal)}
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
      and p.disabled_at is null
    union all
    select s.id
    from app_secrets s
    join apps a on a.id = s.app_id
    where s.id = ${credentialId(principal)}
      and (s.expires_at is null or s.expires_at > now())
      and a.disabled_at is null`);
