import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { covers, scopes } from '../../kernel/scopes.ts';

const eventRow = z.object({ position: z.number(), type: z.string(), data: z.string() });

/** An event of an account. `data` is JSON text and is sent unchanged. */
export type AccountEvent = z.infer<typeof eventRow>;

/** At most `most` events of an account after a position, oldest first. */
export const listEvents = (db: Db, account: string, after: number, most: number): Promise<readonly AccountEvent[]> =>
  db.any(sql.prepared('account_events_after', eventRow)`
    select position, type, data
    from account_events_after(${account}, ${after}, ${most})`);

const endRow = z.object({ last_position: z.number(), is_whole: z.boolean() });

/** The last position of an account's log, and whether all events after `after` still exist (`is_whole`). */
export const readLogEnd = (db: Db, account: string, after: number): Promise<z.infer<typeof endRow>> =>
  db.one(sql.prepared('account_log_end', endRow)`
    select last_position, is_whole
    from account_log_end(${account}, ${after})`);

const lastRow = z.object({ prop_account_id: z.string(), last_position: z.number() });

/** The last positions of the logs of these accounts. Accounts without events are omitted. */
export const listLogEnds = (db: Db, accounts: string[]): Promise<readonly z.infer<typeof lastRow>[]> =>
  db.any(sql.prepared('account_log_ends', lastRow)`
    select l.prop_account_id, l.last_position
    from account_logs l
    where l.prop_account_id = any(${sql.array(accounts, 'text')})`);

/** The credentials of a stream: `key <id>` of a trader, `session <id>` of a user, `token <digest>` of an app. */
export type Credentials = string[];

const TRADING_SCOPES = scopes.filter((scope) => covers([scope], 'trading'));

/** The invalid ones of these credentials: revoked, expired, or of an app that is disabled or may no longer trade. */
export const listInvalidCredentials = (db: Db, credentials: Credentials): Promise<readonly string[]> =>
  db.anyFirst(sql.prepared('invalid_stream_credentials', z.object({ credential: z.string() }))`
    select c.credential
    from (
      select credential, split_part(credential, ' ', 1) as kind, split_part(credential, ' ', 2) as id
      from unnest(${sql.array(credentials, 'text')}) as u (credential)
    ) c
    where case c.kind
      when 'key' then not exists (
        select
        from trader_keys k
        join apps a on a.id = k.owner
        where k.id = c.id
          and k.revoked_at is null
          and a.disabled_at is null
          and a.allowed_scopes && ${sql.array(TRADING_SCOPES, 'text')}
      )
      when 'session' then not exists (
        select
        from user_sessions s
        where s.id = c.id and s.revoked_at is null and s.expires_at > now()
      )
      else not exists (
        select
        from app_tokens t
        join app_secrets s on s.id = t.secret_id
        join apps a on a.id = t.app_id
        where t.digest = decode(c.id, 'hex')
          and (s.expires_at is null or s.expires_at > now())
          and a.disabled_at is null
          and a.allowed_scopes && ${sql.array(TRADING_SCOPES, 'text')}
      )
    end`);
