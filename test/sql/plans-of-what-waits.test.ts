import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { sendMail } from '../../src/capabilities/mail/send.ts';
import { handleEvent } from '../../src/capabilities/payments/commands.ts';
import { findConnectAccount } from '../../src/capabilities/payouts/queries.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { idSchema } from '../../src/kernel/ids.ts';
import type { Sealer } from '../../src/kernel/seal.ts';
import { unreachable } from '../../src/kernel/upstream-result.ts';
import { freshDatabase } from '../support/postgres.ts';

const MANY = 3_000;
const MOST_ROWS = 25; // that the statements about one row read of its table
const nothing = z.object({});

/** A plan that was made while nothing waited finds the index of what waits empty, and reads all of it later. */
describe('one of many open events, payouts, mails or accounts, for a worker with plans from when there were none', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DbPool;
  before(async () => {
    database = await freshDatabase({ ownPlans: true });
    db = await openPool(database.url, 1, () => {});
    await db.query(sql.type(nothing)`
      with app as (
        insert into apps (id, slug, name, allowed_scopes) values ('a', 'a', 'a', '{x}')
      ), tier as (
        insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'm', 'crypto', 1, 0)
      ), ann as (
        insert into users (id, app_id, email) values ('u', 'a', 'u')
      ), account as (
        insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
        values ('prop', 'a', 'u', 'tier_x', 'm', 'crypto', 1, 'provisioning')
      )
      insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
      values ('con', 'a', 'u', 'acct', true, true, true)`);
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  const rowsRead = async (table: string) => {
    await db.query(sql.type(nothing)`select pg_stat_force_next_flush()`);
    return db.oneFirst(sql.type(z.object({ rows: z.number() }))`
      select (seq_tup_read + (select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relname = ${table}))::bigint as rows
      from pg_stat_user_tables
      where relname = ${table}`);
  };
  const expectFewRead = async (table: string, work: () => Promise<unknown>) => {
    const before = await rowsRead(table);
    await work();
    expect((await rowsRead(table)) - before).to.be.within(1, MOST_ROWS);
  };

  it('is an event that is found by its id', async () => {
    const insert = (prefix: string, actedAt: string | null) =>
      db.query(sql.type(nothing)`
        insert into processor_events (id, type, said_at, fact, source, outcome, acted_at)
        select ${prefix} || n, 't', now(), '{"about": "payment"}', 'listed', case when ${actedAt}::text is not null then 'stale' end, ${actedAt}
        from generate_series(1, ${MANY}) n`);
    const handle = (id: string) => handleEvent(id, { db, log: { error() {} } }, async () => 'stale');
    await insert('applied ', new Date().toISOString());
    await db.query(sql.type(nothing)`vacuum analyze processor_events`);
    for (let n = 1; n <= 8; n += 1) await handle(`applied ${n}`); // a plan is kept from the sixth execution on
    await insert('open ', null);

    await expectFewRead('processor_events', () => handle('open 2000'));
  });

  it('is a payout whose next step is requested', async () => {
    const insert = (prefix: string, status: string, payAfter: string | null) =>
      db.query(sql.type(nothing)`
        insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, pay_after)
        select ${prefix} || n, 'a', 'u', 'prop', 'con', 1, 'usd', ${status}, ${payAfter}
        from generate_series(1, ${MANY}) n`);
    const request = (id: string) =>
      db.query(sql.prepared('pay', nothing)`
        select pay_arrived(${id}, jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60))`);
    await insert('completed ', 'completed', null);
    await db.query(sql.type(nothing)`vacuum analyze payouts`);
    for (let n = 1; n <= 8; n += 1) await request(`completed ${n}`);
    await insert('waiting ', 'submitted', new Date(0).toISOString());

    await expectFewRead('payouts', () => request('waiting 2000'));
    expect(await db.anyFirst(sql.type(z.object({ id: z.string() }))`select payout_id from payout_steps`)).to.deep.equal(
      ['waiting 2000'],
    );
  });

  it('is a mail that is tried again', async () => {
    const insert = (state: string, endedAt: string | null) =>
      db.anyFirst(sql.type(z.object({ id: z.string() }))`
        insert into mails (id, template, recipient, data, tenant, expires_at, state, ended_at)
        select gen_random_uuid(), 'totp_guessed', 'u@example.com', '{"app": "a"}', 'a', now() + interval '1 day', ${state}, ${endedAt}
        from generate_series(1, ${MANY})
        returning id`);
    const mailer = { send: async () => unreachable('no route') };
    const send = (id: string) => sendMail(id, { db, mailer, sealer: {} as Sealer }); // as: it has no secret
    const ended = await insert('sent', new Date().toISOString());
    await db.query(sql.type(nothing)`vacuum analyze mails`);
    for (const id of ended.slice(0, 8)) await send(id);
    for (const id of ended.slice(0, 8))
      await db.query(sql.prepared('retry', nothing)`select retry_mail(${id}, 1, 'x')`);
    const waiting = await insert('queued', null);

    await expectFewRead('mails', () => send(waiting[2_000] ?? ''));
  });

  it('is the payout account of a user', async () => {
    const find = (userId: string) => findConnectAccount(db, idSchema.app.parse('app_1'), idSchema.user.parse(userId));
    await db.query(sql.type(nothing)`vacuum analyze connect_accounts`);
    for (let n = 1; n <= 8; n += 1) await find('usr_none');
    await db.query(sql.type(nothing)`
      insert into users (id, app_id, email) select 'usr_' || n, 'a', n::text from generate_series(1, ${MANY}) n`);
    await db.query(sql.type(nothing)`
      insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
      select 'con' || n, 'a', 'usr_' || n, 'acct' || n, true, true, true from generate_series(1, ${MANY}) n`);

    await expectFewRead('connect_accounts', () => find('usr_2000'));
  });
});
