import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { noteLink, requestPayout } from '../../src/capabilities/payouts/commands.ts';
import { submitPayout } from '../../src/capabilities/payouts/intents.ts';
import { mintApiKey } from '../../src/capabilities/trading/keys/commands.ts';
import { confirmTotp, enrollTotp } from '../../src/capabilities/users/totp/commands.ts';
import type { Db } from '../../src/db/pool.ts';
import type { AppId, PayoutId, PropAccountId, UserId } from '../../src/kernel/ids.ts';
import type { User } from '../../src/kernel/principal.ts';
import type { Sealer } from '../../src/kernel/seal.ts';
import { newSeed } from '../../src/kernel/totp.ts';
import { codeOf } from '../support/identity.ts';
import { openPeople, type People } from '../support/people.ts';

/** Rows that differ in one thing: whose they are, when they were made, in which session. */
describe('what a stolen session may have left behind', () => {
  let people: People;
  const run: People['run'] = (...args) => people.run(...args);
  before(async () => {
    people = await openPeople();
  });
  after(() => people.close());
  beforeEach(async () => {
    for (const table of ['payouts', 'connect_accounts']) await run(`delete from ${table}`);
    await people.renew();
  });

  const account = (id: string, user: string, more: Record<string, string> = {}) => {
    const all = { destination_at: `now() - interval '40 days'`, ...more };
    return run(
      `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted,
         ${Object.keys(all)})
       values ($1, split_part($2, '@', 2), $2, $1, true, true, true, ${Object.values(all)})`,
      ...[id, user],
    );
  };
  const payout = (id: string, user: string, more: Record<string, string> = {}) => {
    const all = { requested_at: `now() - interval '40 days'`, ...more };
    return run(
      `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, ${Object.keys(all)})
       values ($1, split_part($2, '@', 2), $2, $2, 'of ' || $2, 1, 'usd', ${Object.values(all)})`,
      ...[id, user],
    );
  };
  const ids = (query: string) =>
    people.db.anyFirst({ ...sql.type(z.object({ id: z.string() }))``, sql: `${query} order by 1` });
  const detached = () =>
    ids(`select id || ' ' || detached_because from connect_accounts where detached_at is not null`);
  const failed = () => ids(`select id || ' ' || failure_reason from payouts where status = 'failed'`);
  const DAY_OLD = `now() - interval '1 day'`;

  for (const [what, more] of [
    ['opened', { destination_at: DAY_OLD }],
    ['changed', { destination_at: DAY_OLD, linked_at: `now() - interval '50 days'` }],
    ['linked', { linked_at: DAY_OLD }],
  ] as const)
    it(`is a payout account that was ${what} within 30 days of a reset: of this user alone`, async () => {
      await account('of ann@a', 'ann@a', more);
      await account('of bob@a', 'bob@a', more);
      await account('earlier', 'ann@a', { ...more, detached_at: DAY_OLD, detached_because: `'user'` });

      await run(`select quarantine('ann@a')`);

      expect(await detached()).to.deep.equal(['earlier user', 'of ann@a quarantine']);
    });

  it('is no payout account or payout that is older than every session', async () => {
    await account('of ann@a', 'ann@a', { linked_at: `now() - interval '31 days'` });
    await payout('old', 'ann@a');

    await run(`select quarantine('ann@a')`);

    expect([await detached(), await failed()]).to.deep.equal([[], []]);
  });

  it('is a payout that was requested within 30 days of a reset and not sent: of this user alone', async () => {
    for (const user of ['ann@a', 'bob@a']) {
      await account(`of ${user}`, user);
      await payout(`new of ${user}`, user, { requested_at: DAY_OLD });
      await payout(`sent of ${user}`, user, { requested_at: DAY_OLD, status: `'submitted'` });
    }

    await run(`select quarantine('ann@a')`);

    expect(await failed()).to.deep.equal(['new of ann@a quarantined']);
    expect(
      await run(`select from events where type = 'payout.failed' and owner = 'a' and data like '%new of ann@a%'`),
    ).to.equal(1);
  });

  it('of one session is what it made, and an account that it had a link to', async () => {
    await account('of ann@a', 'ann@a', { linked_in_sessions: `'{x,s ann@a}'`, destination_at: DAY_OLD });
    await account('of bob@a', 'bob@a', { linked_in_sessions: `'{s ann@a}'`, made_in_session: `'s ann@a'` });
    await payout('made', 'ann@a', { made_in_session: `'s ann@a'` });
    await payout('made in another', 'ann@a', { made_in_session: `'t ann@a'`, requested_at: DAY_OLD });

    await run(`select quarantine('ann@a', 'another')`);
    const before = [...(await detached()), ...(await failed())];
    await run(`select quarantine('ann@a', 's ann@a')`);

    expect(before).to.deep.equal([]);
    expect([...(await detached()), ...(await failed())]).to.deep.equal(['of ann@a quarantine', 'made quarantined']);
  });

  const plain = { seal: (text: string) => Buffer.from(text), open: (sealed: Buffer) => sealed };
  const sealer = plain as unknown as Sealer; // as: both are all that is used
  const SUBMISSION = { context: { owner: 'a' as AppId, digest: '', request_id: '' }, deadlineMs: 1_000 };
  const SUBMITTED = { id: 'made' as PayoutId, earnedCents: 1, holdH: 0 };
  const SESSION = { owner: 'a' as AppId, userId: 'ann@a' as UserId, sessionId: 's ann@a' }; // as: the ids of people.ts
  const ACCOUNT = 'ann@a' as PropAccountId; // as: the same
  const PAYOUT = { accountId: ACCOUNT, connectAccountId: 'of ann@a', amountCents: 1, currency: 'usd', earnedCents: 1 };
  const USER = SESSION as User; // as: what these functions read of it
  const SEED = newSeed();
  const apart = <T>(work: (db: Db) => Promise<T>) => people.db.transaction((other) => work(other));
  const sessionId = SESSION.sessionId;
  for (const [what, make] of [
    ['a key', (db: Db) => mintApiKey(db, SESSION, ACCOUNT, 'late')],
    ['a link', (db: Db) => noteLink(db, 'of ann@a', sessionId)],
    ['an authenticator', (db: Db) => enrollTotp(db, sealer, USER)],
    ['an authenticator with its first code', (db: Db) => confirmTotp(db, sealer, USER, codeOf(SEED))],
    ['a payout request', (db: Db) => requestPayout(db, { ...PAYOUT, sessionId })],
    ['a submission', (db: Db) => submitPayout(db, SUBMISSION, SESSION.userId, { ...SUBMITTED, sessionId })],
  ] as const)
    it(`is not ${what} that the session makes while it is removed`, async () => {
      await account('of ann@a', 'ann@a');
      await run(
        `update users set totp_session_id = 't ann@a', totp_seed = convert_to($1, 'UTF8') where id = 'ann@a'`,
        SEED,
      );
      let late: Promise<string> | undefined;

      await people.db.transaction(async (tx) => {
        await tx.query(sql.unsafe`select remove_session('ann@a', 's ann@a')`);
        late = apart<unknown>(make).then(
          () => 'made',
          (error) => error.code ?? String(error),
        );
        await sleep(200);
      });

      expect(await late).to.equal('V2_SESSION_INVALID');
    });

  it('are keys made since the last proof of the password, where a reset keeps the others', async () => {
    await run(`update users set password_proven_at = now() - interval '1 hour'`);
    await run(`update trader_keys set created_at = now() - interval '2 hours' where id = 's ann@a'`);

    await run(`select quarantine('ann@a', null, false)`);

    expect(await ids(`select id from trader_keys where revoked_at is not null`)).to.deep.equal(['t ann@a']);
  });
});
