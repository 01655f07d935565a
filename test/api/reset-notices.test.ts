import { expect } from 'chai';
import { PASSWORD, resetTokenIn, type TestUser } from '../support/identity.ts';
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

  for (const [keeps, works, says] of [
    [false, 200, /were revoked; earlier ones still work/],
    [true, 401, /every API key was revoked/],
  ] as const)
    it(`after a reset says which API keys were revoked: ${keeps ? 'every one' : 'none from before the last log-in'}`, async () => {
      const trader = await service.propTrader();
      const key = await trader.key();
      const json = { email: trader.user.email, password: PASSWORD };
      await service.tenant.ask('POST', '/v2/auth/login', { json });

      await reset(service.tenant, trader.user, { revoke_api_keys: keeps });

      expect((await key.ask('GET', `${TRADING}/positions`)).status).to.equal(works);
      expect((await mailed(trader.user, /password .* was changed/)).text).to.match(says);
    });
});
