import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { covers, scopes } from '../../../kernel/principal.ts';
import type { EventLogs } from '../../streams/logs.ts';

const eventRow = z.object({ position: z.number(), type: z.string(), data: z.string() });
const endRow = z.object({ last_position: z.number(), is_whole: z.boolean() });
const lastRow = z.object({ subject: z.string(), last_position: z.number() });

/** Reads of the event logs of prop accounts. */
export const accountLogReads = (db: Db): Omit<EventLogs, 'listen'> => ({
  list: (account, after, most) =>
    db.any(sql.prepared('account_events_after', eventRow)`
      select position, type, data
      from account_events_after(${account}, ${after}, ${most})`),
  end: (account, after) =>
    db.one(sql.prepared('account_log_end', endRow)`
      select last_position, is_whole
      from account_log_end(${account}, ${after})`),
  ends: (accounts) =>
    db.any(sql.prepared('account_log_ends', lastRow)`
      select l.prop_account_id as subject, l.last_position
      from account_logs l
      where l.prop_account_id = any(${sql.array(accounts, 'text')})`),
  invalid: (credentials) => listInvalidCredentials(db, credentials),
});

const TRADING_SCOPES = scopes.filter((scope) => covers([scope], 'trading'));
/** The scopes that open a stream, which is a read, and trade nothing. */
const READING_SCOPES = scopes.filter((scope) => covers([scope], 'trading', true) && !covers([scope], 'trading'));

/**
 * The invalid ones of the credentials of streams: `key <id>` of a trader, `session <id>` of a user, `token <digest>` of
 * an app. Invalid is one that is revoked, expired, or of an app that is disabled or may no longer trade; a token that may read
 * stays valid while its app may.
 */
const listInvalidCredentials = (db: Db, credentials: string[]): Promise<readonly string[]> =>
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
        join users u on u.id = s.user_id
        where s.id = c.id and is_live_session(s) and not is_disabled(u.app_id)
      )
      else not exists (
        select
        from app_tokens t
        join app_secrets s on s.id = t.secret_id
        join apps a on a.id = t.app_id
        where t.digest = decode(c.id, 'hex')
          and t.expires_at > now()
          and (s.expires_at is null or s.expires_at > now())
          and a.disabled_at is null
          and (
            a.allowed_scopes && ${sql.array(TRADING_SCOPES, 'text')}
            or (a.allowed_scopes && ${sql.array(READING_SCOPES, 'text')} and t.scopes && ${sql.array(READING_SCOPES, 'text')})
          )
      )
    end`);
