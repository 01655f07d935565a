import { expect } from 'chai';
import { codeOf, type Identity, PASSWORD, resetTokenIn, startIdentity, withinOneStep } from '../support/identity.ts';
import { until } from '../support/processes.ts';

const NEW_PASSWORD = 'chosen by the owner';

describe('an authenticator that a stolen session added', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  /** A user with an enabled authenticator, and its seed. */
  async function enrolled() {
    const app = await service.app();
    const user = await service.user(app);
    await withinOneStep();
    const seed = String((await user.ask('POST', '/v2/auth/totp/enroll')).body.secret);
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(seed, -1) } });
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
    return { seed, logIn, reset };
  }

  it('is removed by a reset, if no log-in has used it', async () => {
    const { logIn, reset } = await enrolled();

    await reset();

    expect((await logIn(NEW_PASSWORD)).status).to.equal(200);
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
