import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { enrollTotp } from '../../src/capabilities/users/totp/commands.ts';
import type { DbPool } from '../../src/db/pool.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import type { User } from '../../src/kernel/principal.ts';
import type { Sealer } from '../../src/kernel/seal.ts';
import { openPeople, type People } from '../support/people.ts';

const LIVES_S = 60;
const CODE = `update one_time_codes set attempts_left = 3 where app_id = 'a' and email = 'ann'`;

const SESSION = `update user_sessions set seen_at = now() where id = 's ann@a'`;
// as: what an enrollment needs of its caller and of the sealer
const USER = { userId: 'ann@a', sessionId: 's ann@a', email: 'ann' } as User;
const SEALER = { seal: () => Buffer.from('sealed') } as unknown as Sealer;

type Call = string | ((db: DbPool) => Promise<unknown>);

/** What locks a user before anything else of it: the call, and a row that comes after the user. */
const CALLS: Record<string, [call: Call, after: string]> = {
  remove_session: [`remove_session('ann@a', 's ann@a')`, SESSION],
  'an enrollment of an authenticator': [(db) => enrollTotp(db, SEALER, USER), SESSION],
  sign_up: [`sign_up('a', 'ann', 'new', 'salt', 'mine', 'hmac', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')`, CODE],
  renew_code: [`renew_code('a', 'ann', 'hmac', 5, ${LIVES_S}, '${newIntentId()}', 'sealed')`, CODE],
  verify_by_code: [
    `verify_by_code('a', 'ann', array['hmac'::bytea], 'new session', 'digest', ${LIVES_S}, null, 'net')`,
    CODE,
  ],
};

describe('what is done to one user at once', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
  });
  after(() => people.close());
  beforeEach(async () => {
    await people.renew();
    await people.run(`update users set password_hash = null, verified_at = null where id = 'ann@a'`);
    await people.run(
      `insert into one_time_codes (app_id, email, hmac, attempts_left, expires_at)
       values ('a', 'ann', 'hmac', 5, now() + interval '1 hour')`,
    );
  });

  const ask = (call: Call): Promise<unknown> =>
    typeof call === 'string'
      ? people.db.transaction((tx) => tx.query({ ...sql.unsafe``, sql: `select ${call}` }))
      : call(people.db);

  for (const [name, [call, after]] of Object.entries(CALLS))
    it(`${name} waits for whoever has locked the user, and has locked nothing else by then`, async () => {
      let ended = false;
      let called: Promise<unknown> | undefined;

      const early = await people.db.transaction(async (tx) => {
        await tx.query(sql.unsafe`select from users where id = 'ann@a' for no key update`);
        called = ask(call).finally(() => {
          ended = true;
        });
        await sleep(150);
        await tx.query(sql.unsafe`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
        await tx.query({ ...sql.unsafe``, sql: after });
        return ended;
      });
      await called;

      expect(early).to.equal(false);
    });

  const SIGN_UP = `sign_up('a', 'ann', 'new', 'salt', 'mine', 'hmac', 5, ${LIVES_S}, '${newIntentId()}', 'sealed') as result`;
  const RESET = `request_reset('a', 'ann', 'digest', ${LIVES_S}, '${newIntentId()}', 'sealed')::text as result`;

  for (const [name, call, result] of [
    ['a sign-up begins anew', SIGN_UP, null],
    ['a reset is one of an unknown address', RESET, ''],
  ] as const)
    it(`${name} if its user, never verified, is deleted at that moment`, async () => {
      let called: Promise<unknown> | undefined;

      await people.db.transaction(async (tx) => {
        for (const table of ['trader_keys', 'prop_accounts'])
          await tx.query({ ...sql.unsafe``, sql: `delete from ${table} where user_id = 'ann@a'` });
        await tx.query(sql.unsafe`select from users where id = 'ann@a' for update`);
        called = people.db.transaction((other) => other.oneFirst({ ...sql.unsafe``, sql: `select ${call}` }));
        called.catch(() => {}); // reported below
        await sleep(150);
        await tx.query(sql.unsafe`delete from users where id = 'ann@a'`);
      });

      expect(await called).to.equal(result);
    });
});
