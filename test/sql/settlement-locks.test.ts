import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { claim } from '../../src/intents/claim.ts';
import type { Intent, Problem } from '../../src/intents/intent.ts';
import { fail } from '../../src/intents/settle.ts';
import { advanceAccount, advanceDatabase } from '../../src/sandbox/clock.ts';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

const idOf = (n: number) => `00000000-0000-7000-8000-0000000000a${n}`;
const ORDER = { kind: 'network/place', owner: 'app_1', lane: 'netvenue:e_1:BTCUSDC', request: { trader: 'e_1' } };
const STAGE = `
  insert into apps (id, slug, name, allowed_scopes) values ('app_0', 'first', 'First', '{api}');
  insert into users (id, app_id, email, password_hash, verified_at) values ('usr_2', 'app_0', 'b@example.com', 'hash', now());
  insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
  values ('pay_0', 'app_0', 'usr_2', 'tier_a', 'crypto', 'crypto', 1000, 5000, 'usd', gen_random_uuid());
  update prop_accounts set status = 'funded', synthetic_hotkey = 'e_1'`;

const REJECTED = { code: 'PROCESSOR_REJECTED', reason: 'rejected' };
const UNKNOWN = { code: 'PROCESSOR_SILENT', effect: 'unknown' as const };
const PLANNED = `select graphile_worker.add_job('later', run_at => now() + interval '1 hour', job_key => 'later')`;
const [TELL_0, TELL_1] = [`select emit_event('app_0', 'x', '{}')`, `select emit_event('app_1', 'x', '{}')`];

/** Intents that end together, and the locks that somebody else takes meanwhile: the first before, the second while the batch waits. */
const scenes = {
  'a step of a payout fails beside an order of its app, whose position is reported unprotected': {
    hows: ['failed'], // one that expires is pending again, and no event tells of it
    problem: REJECTED,
    intents: [
      { kind: 'payouts/submit', owner: 'app_1' },
      { ...ORDER, request: { trader: 'e_1', prop_account_id: 'prop_1' } },
    ],
    link: `update payout_steps set intent_id = '${idOf(0)}'`,
    first: `select record_account_event('prop_1', 'position.unprotected', '{}')`,
    second: `select emit_event('app_1', 'position.unprotected', '{}')`,
  },
  'a refund of unknown effect stops an account beside an order of it, whose position is reported unprotected': {
    hows: ['failed', 'expired'],
    problem: UNKNOWN,
    intents: [{ kind: 'payments/refund', owner: 'app_1' }, ORDER],
    link: `
      update payments
      set status = 'succeeded', paid_at = now(), received_currency = 'usd', refund_intent_id = '${idOf(0)}'
      where id = 'pay_1';
      select post_entries('pay_1', 'app_1', 'payment', 'pi_1', now(), null, jsonb_build_array(leg('receipts', 'platform', 'usd', 5000)))`,
    first: `select lock_trader('netvenue', 'e_1')`,
    second: `select record_account_event('prop_1', 'position.unprotected', '{}')`,
  },
  'checkouts of two apps fail, which others tell something in the order of their names': {
    hows: ['failed', 'expired'],
    problem: REJECTED,
    intents: [
      { kind: 'payments/checkout', owner: 'app_1' },
      { kind: 'payments/checkout', owner: 'app_0' },
    ],
    link: `
      update payments set intent_id = '${idOf(0)}' where id = 'pay_1';
      update payments set intent_id = '${idOf(1)}' where id = 'pay_0'`,
    first: TELL_0,
    second: TELL_1,
  },
};

describe('what is written in one commit', () => {
  let intentDb: IntentDatabase;
  let pool: DbPool;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    pool = await openPool(intentDb.url, 2, () => {});
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(STAGE);
  });
  afterEach(async () => {
    await pool.end();
    await intentDb.close();
  });

  for (const [name, { hows, problem, intents, link, first, second }] of Object.entries(scenes))
    for (const how of hows)
      it(`does not deadlock where ${name}: ${how}`, async () => {
        const items = intents.map((one, n) => item({ ...one, id: idOf(n) }));
        await intentDb.accept(...items);
        await intentDb.query(link);
        if (how === 'expired')
          await intentDb.query(`update intents set deadline_at = now(), outcome = $1 where id = any($2)`, [
            JSON.stringify({ problem }),
            items.map(({ id }) => id),
          ]);
        const ids = items.map(({ id }) => id);
        await beside([first, second], () => (how === 'failed' ? failAll(ids, problem) : claimAll(ids)));

        const open = await intentDb.query(`select from intents where id::text like '%a_' and settled_at is null`);
        expect(open).to.deep.equal([]);
      });

  it('does not deadlock with free accounts of two apps, while others write events of both in the order of their names', async () => {
    await intentDb.query(`update tiers set amount_cents = 0`);
    const batch = ['app_1', 'app_0'].map((owner, n) =>
      item({
        ...{ n, id: idOf(n), owner, kind: 'accounts/provision', prop_account_id: `prop_a${n}`, tier_id: 'tier_a' },
        ...{ user_id: owner === 'app_0' ? 'usr_2' : 'usr_1', asset_class: 'crypto', account_size: 1000 },
      }),
    );

    await beside([TELL_0, TELL_1], () => intentDb.query('select accept_free_accounts($1)', [JSON.stringify(batch)]));

    expect(await intentDb.query(`select from prop_accounts where id like 'prop_a_'`)).to.have.length(2);
  });

  for (const [what, advance, first, second] of [
    [
      'time that passes',
      (db: DbPool) => advanceDatabase(db, 60),
      `select from prop_accounts where id = 'prop_1' for no key update`,
      PLANNED,
    ],
    [
      'time that passes for one account',
      (db: DbPool) => advanceAccount(db, 'prop_1', 60),
      `select from prop_accounts where id = 'prop_1' for no key update`,
      `update payouts set status = status where id = 'po_1'`,
    ],
  ] as const)
    it(`does not deadlock with ${what}, as in a sandbox`, async () => {
      await intentDb.query(PLANNED);
      const [other, watch] = [await intentDb.session(), await intentDb.session()];
      await other.query('begin');
      await other.query(first);
      const advanced = advance(pool);
      advanced.catch(() => {}); // read below
      await until('it waits', async () => (await watch.query(WAITING)).length > 0);
      await other.query(second);
      await other.query('commit');
      await advanced;
      await pool.end(); // which writes its part of the statistics

      const deadlocks = () =>
        intentDb.query('select deadlocks::integer from pg_stat_database where datname = current_database()');
      expect(await deadlocks()).to.deep.equal([{ deadlocks: 0 }]);
    });

  /** Runs `work` beside a transaction that takes its first locks before, and the second while the work waits for one. */
  async function beside([first, second]: [string, string], work: () => Promise<unknown>): Promise<void> {
    const [other, watch] = [await intentDb.session(), await intentDb.session()];
    await other.query('begin');
    await other.query(first);
    const done = work();
    done.catch(() => {}); // read below
    await until('the work waits', async () => (await watch.query(WAITING)).length > 0);
    await other.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
    await other.query(second);
    await other.query('commit');
    await done;
  }

  const claimAll = (ids: string[]) =>
    Promise.all(ids.map(async (id) => claim(pool, { id: id as Intent['id'], kind: (await intentDb.row(id)).kind }))); // as: ids of the test
  async function failAll(ids: string[], problem: Problem): Promise<void> {
    const claims = await claimAll(ids);
    await Promise.all(claims.map((one) => fail(pool, one as Intent, problem))); // as: each is claimed
  }
});
