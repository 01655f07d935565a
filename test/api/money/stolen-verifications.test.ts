import { expect } from 'chai';
import { asking, bearer, PASSWORD, resetTokenIn, type TestApp, type TestUser } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { until } from '../../support/processes.ts';

const BEGIN = '/v2/kyc/processor-identity/session';
const NEW_PASSWORD = 'chosen by the owner';

describe('an identity verification that a stolen session began', function () {
  this.timeout(30_000);
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney();
    app = await service.app(['api']);
  });
  after(() => service.stop());

  const logIn = async ({ email }: TestUser, password = PASSWORD) => {
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email, password } });
    return asking(service.url, { ...bearer(app.token), 'X-Session-Token': body.session_token });
  };
  const statusOf = async (ask: TestUser['ask']) => (await ask('GET', '/v2/kyc/status')).body.kyc_status;
  const moved = (id: string, to: string) => service.control('verification', { id, to });

  async function reset(user: TestUser) {
    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email: user.email } });
    const mail = await until('a reset', () =>
      service.mailbox.mails(user.email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email: user.email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
    await app.ask('POST', '/v2/auth/password-reset/confirm', { json });
    return logIn(user, NEW_PASSWORD);
  }
  async function removed(user: TestUser) {
    const { body } = await user.ask('GET', '/v2/auth/sessions');
    for (const { session_id, current } of body as { session_id: string; current: boolean }[])
      if (!current) await user.ask('POST', '/v2/auth/sessions/revoke', { json: { session_id } });
    return user.ask;
  }

  for (const [what, end] of [
    ['the password is reset', reset],
    ['the session is removed from another one', removed],
  ] as const)
    it(`verifies nobody as the owner once ${what}; the owner begins another`, async () => {
      const user = await service.user(app);
      const thief = await logIn(user);
      const stolen = (await thief('POST', BEGIN)).body.session_id;
      await moved(stolen, 'requires_input');
      await eventually(async () => (await statusOf(thief)) === 'needs_input');

      const owner = await end(user);
      await moved(stolen, 'verified');
      const begun = (await owner('POST', BEGIN)).body.session_id;
      await moved(begun, 'requires_input'); // it is reported after the stolen one
      await eventually(async () => (await statusOf(owner)) === 'needs_input');
      await service.runTask('kyc/reconcile');

      expect(await statusOf(owner)).to.equal('needs_input');
      await moved(begun, 'verified');
      await eventually(async () => (await statusOf(owner)) === 'verified');
    });

  it('verifies nobody as the owner either, if the owner has begun another before the session is removed', async () => {
    const user = await service.user(app);
    const thief = await logIn(user);
    const stolen = (await thief('POST', BEGIN)).body.session_id;
    const begun = (await user.ask('POST', BEGIN)).body.session_id;

    await removed(user);
    await moved(stolen, 'verified');
    await moved(begun, 'requires_input'); // it is reported after the stolen one
    await eventually(async () => (await statusOf(user.ask)) !== 'unverified');

    expect(await statusOf(user.ask)).to.equal('needs_input');
    await moved(begun, 'verified');
    await eventually(async () => (await statusOf(user.ask)) === 'verified');
  });

  it('stays the owner’s, if another session is removed', async () => {
    const user = await service.user(app);
    await logIn(user);
    const begun = (await user.ask('POST', BEGIN)).body.session_id;

    await removed(user);
    await moved(begun, 'verified');

    await eventually(async () => (await statusOf(user.ask)) === 'verified');
  });
});
