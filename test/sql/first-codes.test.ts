import { expect } from 'chai';
import { confirmAdminTotp, enrollAdminTotp } from '../../src/capabilities/admin/totp/commands.ts';
import { confirmTotp, disableTotp, enrollTotp } from '../../src/capabilities/users/totp/commands.ts';
import type { Admin, User } from '../../src/kernel/principal.ts';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';
import { codeOf } from '../support/identity.ts';
import { openPeople, type People } from '../support/people.ts';

const TIMES = 10;
const SEALER = sealer(newSealingKey());

describe('the first code of an authenticator, sent many times at once', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
    await people.renew();
  });
  after(() => people.close());

  /** What becomes of each, and how often. */
  const endings = async (confirm: () => Promise<void>) => {
    const all = await Promise.allSettled(Array.from({ length: TIMES }, confirm));
    const codes = all.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason.code));
    return Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));
  };
  const ONCE = { done: 1, V2_MFA_ALREADY_ENABLED: TIMES - 1 };

  it('enables that of a user once', async () => {
    const user = { userId: 'ann@a', sessionId: 's ann@a', email: 'ann' } as User; // as: the command needs no more of it
    const { secret } = await enrollTotp(people.db, SEALER, user);

    expect(await endings(() => confirmTotp(people.db, SEALER, user, codeOf(secret)))).to.deep.equal(ONCE);
    expect(await people.run(`select from mails where template = 'totp_enabled'`)).to.equal(1);
  });

  it('disables that of a user once: a repeat gets the error that there is none', async () => {
    const user = { userId: 'bob@a', sessionId: 's bob@a', email: 'bob' } as User; // as: the command needs no more of it
    const { secret } = await enrollTotp(people.db, SEALER, user);
    await confirmTotp(people.db, SEALER, user, codeOf(secret, -1));

    expect(await endings(() => disableTotp(people.db, SEALER, user, codeOf(secret)))).to.deep.equal({
      done: 1,
      V2_MFA_NOT_STARTED: TIMES - 1,
    });
  });

  it('enables that of an operator once', async () => {
    await people.run(`insert into admins (id, email, password_hash) values ('op', 'op', 'h')`);
    const admin = { adminId: 'op', sessionId: 's', email: 'op' } as Admin; // as: the command needs no more of it
    const actor = { adminId: 'op', address: '', requestId: '' };
    const { secret } = await enrollAdminTotp(people.db, SEALER, admin, actor);

    expect(await endings(() => confirmAdminTotp(people.db, SEALER, admin, codeOf(secret), actor))).to.deep.equal(ONCE);
  });
});
