import { expect } from 'chai';
import { earner, payingApp } from '../support/earning.ts';
import { asking, bearer, PASSWORD, resetTokenIn, type TestUser } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

describe('what a user is mailed', function () {
  this.timeout(60_000);
  let service: Trading;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());

  const mailed = ({ email }: Pick<TestUser, 'email'>, subject: RegExp) =>
    until(`a mail ${subject}`, () => service.mailbox.mails(email).find((mail) => subject.test(mail.subject)));
  const reset = async (app: Trading['tenant'], user: TestUser, more: object = {}) => {
    const { email } = user;
    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const token = resetTokenIn((await mailed(user, /^Reset/)).text);
    const json = { email, token, new_password: 'chosen by the owner', ...more };
    expect((await app.ask('POST', '/v2/auth/password-reset/confirm', { json })).status).to.equal(200);
  };

  for (const [all, works, says] of [
    [false, 200, /were revoked; earlier ones still work/],
    [true, 401, /every API key was revoked/],
  ] as const)
    it(`after a reset says which API keys were revoked: ${all ? 'every one' : 'none from before the last log-in'}`, async () => {
      const trader = await service.propTrader();
      const key = await trader.key();
      const json = { email: trader.user.email, password: PASSWORD };
      await service.tenant.ask('POST', '/v2/auth/login', { json });

      await reset(service.tenant, trader.user, { revoke_api_keys: all });

      expect((await key.ask('GET', `${TRADING}/positions`)).status).to.equal(works);
      expect((await mailed(trader.user, /password .* was changed/)).text).to.match(says);
    });

  it('says that a payout account is no longer attached, after a reset and when the session that opened it is removed', async () => {
    const app = await payingApp(service);
    const [forgetful, robbed] = [await earner(service, app, 900), await earner(service, app, 900)];
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email: robbed.email, password: PASSWORD } });
    const owner = asking(service.url, { ...bearer(app.token), 'X-Session-Token': body.session_token });

    await reset(app, forgetful);
    await owner('POST', '/v2/auth/sessions/revoke', { json: { session_token: robbed.session } });

    expect((await owner('GET', '/v2/connect/accounts')).body).to.deep.equal([]);
    for (const user of [forgetful, robbed]) await mailed(user, /payout account was removed/);
  });

  it('says nothing of a payout account after a reset without one', async () => {
    const user = await service.user(service.tenant);

    await reset(service.tenant, user);

    await mailed(user, /password .* was changed/);
    expect(service.mailbox.mails(user.email).map(({ subject }) => subject)).to.have.length(3);
  });
});
