import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { covers, scopes } from '../../kernel/scopes.ts';

const eventRow = z.object({ position: z.number(), type: z.string(), data: z.string() });

/** An event of an account; `data` is JSON as it goes out. */
export type AccountEvent = z.infer<typeof eventRow>;

/** Events of an account behind a place, oldest first. */
export const listEvents = (db: Db, account: string, place: number, most: number): Promise<readonly AccountEvent[]> =>
  db.any(sql.prepared('account_events_after', eventRow)`
    select position, type, data
    from account_events_after(${account}, ${place}, ${most})`);

const endRow = z.object({ last_position: z.number(), is_whole: z.boolean() });

/** Where an account's log ends, and whether everything behind `place` is still kept. */
export const readLogEnd = (db: Db, account: string, place: number): Promise<z.infer<typeof endRow>> =>
  db.one(sql.prepared('account_log_end', endRow)`
    select last_position, is_whole
    from account_log_end(${account}, ${place})`);

const lastRow = z.object({ prop_account_id: z.string(), last_position: z.number() });

/** Where the logs of these accounts end; those without events are left out. */
export const listLogEnds = (db: Db, accounts: string[]): Promise<readonly z.infer<typeof lastRow>[]> =>
  db.any(sql.prepared('account_log_ends', lastRow)`
    select l.prop_account_id, l.last_position
    from account_logs l
    where l.prop_account_id = any(${sql.array(accounts, 'text')})`);

/** What a stream stands on: `key <id>` of a trader, `session <id>` of a user, `token <digest>` of an app. */
export type Grounds = string[];

const TRADING_SCOPES = scopes.filter((scope) => covers([scope], 'trading'));

/** Those of these grounds that are good no longer: revoked, ended, or of an app that is disabled or may trade no more. */
export const listVoid = (db: Db, grounds: Grounds): Promise<readonly string[]> =>
  db.anyFirst(sql.prepared('void_stream_grounds', z.object({ ground: z.string() }))`
    select g.ground
    from (
      select ground, split_part(ground, ' ', 1) as kind, split_part(ground, ' ', 2) as id
      from unnest(${sql.array(grounds, 'text')}) as u (ground)
    ) g
    where case g.kind
      when 'key' then not exists (
        select
        from trader_keys k
        join apps a on a.id = k.owner
        where k.id = g.id
          and k.revoked_at is null
          and a.disabled_at is null
          and a.allowed_scopes && ${sql.array(TRADING_SCOPES, 'text')}
      )
      when 'session' then not exists (
        select
        from user_sessions s
        where s.id = g.id and s.revoked_at is null and s.expires_at > now()
      )
      else not exists (
        select
        from app_tokens t
        join app_secrets s on s.id = t.secret_id
        join apps a on a.id = t.app_id
        where t.digest = decode(g.id, 'hex')
          and (s.expires_at is null or s.expires_at > now())
          and a.disabled_at is null
          and a.allowed_scopes && ${sql.array(TRADING_SCOPES, 'text')}
      )
    end`);
