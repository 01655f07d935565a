import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { TestService } from './service.ts';

/**
 * Tables that web writes beside what a request is about: counters, among them of the attempts at a code, reserved keys, records of requests,
 * and what the processor notifies it of.
 */
const BESIDE = `
  throttles one_time_codes idempotent_responses processes api_requests api_usage upstream_responses upstream_slots request_budgets
  processor_events`
  .trim()
  .split(/\s+/);

/** That a session is given a link to a payout account is noted before the link is requested, so never too late. */
const APART = /\/onboarding-link$/;

const committed = z.object({ xid: z.string(), tables: z.array(z.string()) });

/** What requests commit. `together`: runs a write, and expects that all that web wrote meanwhile is of one transaction. */
export type Commits = { together<T>(path: string, write: () => Promise<T>): Promise<T> };

/** Notes from now on which tables each transaction of web changes. A use of credentials, which only moves its time, is no change. */
export async function watchCommits({ db }: Pick<TestService, 'db'>): Promise<Commits> {
  await db.query(sql.unsafe`
    create table commits (xid text, of_table text, primary key (xid, of_table))`);
  await db.query(sql.unsafe`
    create function note_commit() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      uses text[] := '{seen_at,last_used_at,last_seen_at}';
    begin
      if session_user = 'tps_web' and (tg_op <> 'UPDATE' or to_jsonb(new) - uses <> to_jsonb(old) - uses) then
        insert into commits values (pg_current_xact_id()::text, tg_table_name) on conflict do nothing;
      end if;
      return null;
    end $$`);
  await db.query(sql.unsafe`
    do $$
    declare
      of_table name;
    begin
      for of_table in
        select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'commits'
      loop
        execute format('create trigger note_commit after insert or update or delete on %I for each row execute function note_commit()', of_table);
      end loop;
    end $$`);
  return {
    async together(path, write) {
      await db.query(sql.unsafe`delete from commits`);
      const result = await write();
      const all = await db.any(sql.type(committed)`
        select c.xid, array_agg(c.of_table order by c.of_table) as tables
        from commits c
        where c.of_table <> all (${sql.array(BESIDE, 'text')})
        group by c.xid
        order by c.xid::bigint`);
      if (APART.test(path)) return result;
      expect(all.length, `${path}: ${JSON.stringify(all.map(({ tables }) => tables))}`).to.be.at.most(1);
      return result;
    },
  };
}
