import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { queueDueSyncs } from '../../src/capabilities/accounts/prop/store.ts';
import { openSessions } from '../../src/capabilities/kyc/store.ts';
import { queueReadings } from '../../src/capabilities/payments/store.ts';
import { sentPayouts } from '../../src/capabilities/payouts/store.ts';
import { eachDue } from '../../src/db/polling.ts';
import { openPeople, type People } from '../support/people.ts';

const [MOST, READINGS] = [50, 500];
const PACE = { everyS: 300, most: MOST };
const MANY = 2 * READINGS; // of app a; app b has one, which was read later than those of a

describe('what is read at the processor in turns', () => {
  let people: People;
  const run: People['run'] = (...args) => people.run(...args);
  before(async () => {
    people = await openPeople();
    await people.renew();
    await run(
      `insert into users (id, app_id, email) select 'u' || n, 'a', 'u' || n from generate_series(1, ${MANY}) n`,
    );
  });
  after(() => people.close());

  for (const [they, readAt] of [
    ['has waited longer', `now() - interval '1 hour'`],
    ['was never read', 'null'],
  ]) {
    it(`is a verification of one app, however much of another ${they}`, async () => {
      await run('delete from kyc_cases');
      await run(
        `insert into kyc_cases (user_id, owner, provider, session_id, created_at, reconciled_at)
         select u.id, u.app_id, 'p', 'vs ' || u.id, now() - interval '1 day', ${readAt}
         from users u where u.id like 'u%'`,
      );
      await run(
        `insert into kyc_cases (user_id, owner, provider, session_id, created_at, reconciled_at)
         values ('ann@b', 'b', 'p', 'vs b', now() - interval '1 day', now() - interval '10 minutes')`,
      );

      const taken: string[] = [];
      await eachDue(people.db, openSessions, PACE, async ({ session_id }) => taken.push(session_id));

      expect(taken).to.have.length(MOST).and.to.include('vs b');
    });

    it(`is a payout of one app, however much of another ${they}`, async () => {
      await run('delete from payout_steps');
      await run('delete from payouts');
      await payoutsOf('a', 'ann@a', MANY, readAt ?? '');
      await payoutsOf('b', 'ann@b', 1, `now() - interval '10 minutes'`);

      const taken: string[] = [];
      await eachDue(people.db, sentPayouts, PACE, async ({ processor_id }) => taken.push(processor_id));

      expect(taken).to.have.length(MOST).and.to.include('po b 1');
    });

    it(`is a payment of one app, however much of another ${they}`, async () => {
      await run('delete from payments');
      await paymentsOf('a', 'ann@a', MANY, readAt ?? '');
      await paymentsOf('b', 'ann@b', 1, `now() - interval '10 minutes'`);

      expect(await queueReadings(people.db, PACE.everyS)).to.equal(READINGS);

      const read = await people.db.anyFirst(sql.type(z.object({ payment: z.string() }))`
        select j.payload ->> 'payment_id' as payment from queue_jobs j where j.task = 'payments/read'`);
      expect(read).to.include('pay b 1');
    });
  }

  it('is first what was read longest ago, or was never read and is older, of one app', async () => {
    await run('delete from kyc_cases');
    await run(
      `insert into kyc_cases (user_id, owner, provider, session_id, created_at, reconciled_at) values
       ('u1', 'a', 'p', 'new', now() - interval '1 hour', null),
       ('u2', 'a', 'p', 'read', now() - interval '1 day', now() - interval '2 hours')`,
    );

    const taken: string[] = [];
    await eachDue(people.db, openSessions, { ...PACE, most: 1 }, async ({ session_id }) => taken.push(session_id));

    expect(taken).to.deep.equal(['read']);
  });

  it('is what nobody has locked, however many others are locked', async () => {
    await run('delete from kyc_cases');
    await run(
      `insert into kyc_cases (user_id, owner, provider, session_id, created_at, reconciled_at)
       select 'u' || n, 'a', 'p', 'vs ' || n, now() - interval '1 day', now() - interval '1 hour' - make_interval(mins => 10 - n)
       from generate_series(1, 6) n`,
    );
    const holder = new Client({ connectionString: people.url });
    await holder.connect();
    await holder.query(`begin; select from kyc_cases where session_id <> 'vs 6' for update`);

    const taken: string[] = [];
    const reading = eachDue(people.db, openSessions, PACE, async ({ session_id }) => taken.push(session_id));
    await Promise.race([reading.catch(() => {}), sleep(15_000)]);
    const beside = [...taken];
    await holder.query('commit');
    await holder.end();
    await reading.catch(() => {});

    expect(beside).to.deep.equal(['vs 6']);
  }).timeout(60_000);

  it('is an account of one app, however many of another are due for longer, and one of them is locked', async () => {
    await run('delete from payments');
    await accountsOf('a', 'ann@a', MANY, '1 hour');
    await accountsOf('b', 'ann@b', 1, '1 minute');

    const holder = new Client({ connectionString: people.url });
    await holder.connect();
    await holder.query(`begin; select from prop_accounts where id = 'acc pay a 1' for update`);
    await queueDueSyncs(people.db, PACE.everyS * 1_000, READINGS).finally(() => holder.end());

    const read = await people.db.anyFirst(sql.type(z.object({ account: z.string() }))`
      select j.payload ->> 'prop_account_id' as account from queue_jobs j where j.task = 'accounts/sync'`);
    expect(read).to.have.length(READINGS).and.to.include('acc pay b 1').and.not.to.include('acc pay a 1');
  });

  async function payoutsOf(app: string, user: string, count: number, readAt: string) {
    await run(
      `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
       values ('con ' || $1::text, $1, $2, 'acct ' || $1::text, true, true, true) on conflict do nothing`,
      ...[app, user],
    );
    await run(
      `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
       select 'po ' || $1::text || ' ' || n, $1, $2, $2, 'con ' || $1::text, 1, 'usd' from generate_series(1, ${count}) n`,
      ...[app, user],
    );
    await run(
      `insert into payout_steps (intent_id, payout_id, step, state, amount_cents, currency, processor_id, created_at, reconciled_at)
       select gen_random_uuid(), p.id, 'payout', 'sent', 1, 'usd', p.id, now() - interval '1 day', ${readAt}
       from payouts p where p.owner = $1`,
      app,
    );
  }

  async function accountsOf(app: string, user: string, count: number, dueFor: string) {
    await paymentsOf(app, user, count, 'null');
    await run(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       select p.id, $1, row_number() over (), $1, gen_random_uuid(), 'crypto', 1, 'active' from payments p where p.owner = $1`,
      app,
    );
    await run(
      `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey, payment_id, sync_after)
       select 'acc ' || p.id, p.owner, p.user_id, p.tier_id, 'm', 'crypto', 1, 'evaluation', p.id, p.id, now() - interval '${dueFor}'
       from payments p where p.owner = $1`,
      app,
    );
  }

  const paymentsOf = (app: string, user: string, count: number, readAt: string) =>
    run(
      `insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, status,
         created_at, reconciled_at)
       select 'pay ' || $1::text || ' ' || n, $1, $2, 'tier_x', 'm', 'crypto', 1, 1, 'usd', gen_random_uuid(), 'requires_action',
         now() - interval '1 day', ${readAt}
       from generate_series(1, ${count}) n`,
      ...[app, user],
    );
});
