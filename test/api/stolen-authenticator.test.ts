import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { confirmTotp } from '../../src/capabilities/users/totp/commands.ts';
import type { User } from '../../src/kernel/principal.ts';
import { sealer } from '../../src/kernel/seal.ts';
import { codeOf, type Identity, PASSWORD, resetTokenIn, startIdentity, withinOneStep } from '../support/identity.ts';
import { until } from '../support/processes.ts';

const NEW_PASSWORD = 'chosen by the owner';

describe('an authenticator that a stolen session added', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  /** A user with an authenticator, and its seed; enabled by `confirm`, by default before anything else. */
  async function enrolled(isConfirmed = true) {
    const app = await service.app();
    const user = await service.user(app);
    await withinOneStep();
    const seed = String((await user.ask('POST', '/v2/auth/totp/enroll')).body.secret);
    const confirm = { json: { code: codeOf(seed, -1) } };
    if (isConfirmed) await user.ask('POST', '/v2/auth/totp/confirm', confirm);
    const logIn = (password: string, code?: string) =>
      app.ask('POST', '/v2/auth/login', { json: { email: user.email, password, ...(code && { totp_code: code }) } });
    const reset = async () => {
      await app.ask('POST', '/v2/auth/password-reset/request', { json: { email: user.email } });
      const mail = await until('a reset', () =>
        service.mailbox.mails(user.email).find(({ text }) => resetTokenIn(text) !== ''),
      );
      const json = { email: user.email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
      await app.ask('POST', '/v2/auth/password-reset/confirm', { json });
    };
    return { user, seed, logIn, reset };
  }

  it('is removed by a reset, if no log-in has used it', async () => {
    const { logIn, reset } = await enrolled();

    await reset();

    expect((await logIn(NEW_PASSWORD)).status).to.equal(200);
  });

  it('is removed by a reset, if the owner has logged in without it while it was being confirmed', async () => {
    const { user, seed, logIn, reset } = await enrolled(false);
    const keys = sealer(String(service.settings.SEALING_KEYS));
    const session = await service.db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select s.id from user_sessions s where s.user_id = ${user.userId}`);
    const thief = { userId: user.userId, sessionId: session } as User; // as: what a confirmation needs of it

    const loggedIn = await service.db.transaction(async (tx) => {
      await tx.query(sql.type(z.object({}))`select`); // the confirmation has begun
      const owner = await logIn(PASSWORD);
      await confirmTotp(tx as unknown as typeof service.db, keys, thief, codeOf(seed, -1));
      return owner;
    });
    await reset();

    expect(loggedIn.body).to.have.property('session_token');
    expect((await logIn(NEW_PASSWORD)).body).to.have.property('session_token');
  });

  it('stays, if the owner has logged in with it: a mailbox alone does not remove it', async () => {
    const { seed, logIn, reset } = await enrolled();
    const used = await logIn(PASSWORD, codeOf(seed));

    await reset();

    expect(used.status).to.equal(200);
    expect((await logIn(NEW_PASSWORD)).body).to.not.have.property('session_token');
    expect((await logIn(NEW_PASSWORD, codeOf(seed, 1))).status).to.equal(200);
  });
});
