import { expect } from 'chai';
import { sql } from 'slonik';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import { asking, bearer, PASSWORD, resetTokenIn, type TestApp } from '../../support/identity.ts';
import { type Money, startMoney } from '../../support/money.ts';
import { until } from '../../support/processes.ts';
import { expectRejected } from '../../support/rejected.ts';

const ACCOUNTS = '/v2/connect/accounts';
const NEW_PASSWORD = 'chosen by the owner';

describe('a payout account of the owner, to which a stolen session was given a link', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney();
    app = await payingApp(service);
  });
  after(() => service.stop());

  const logIn = async ({ email }: Pick<Earner, 'email'>, password = PASSWORD) => {
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email, password } });
    return asking(service.url, { ...bearer(app.token), 'X-Session-Token': body.session_token });
  };

  /** An owner whose account is older than any session, and a thief who got a link to its pages, by either operation. */
  async function stolen(path: (account: string) => string, json?: object) {
    const owner = await earner(service, app, 900);
    const requested = await owner.request(20_000);
    await service.db.query(sql.unsafe`
      update connect_accounts set destination_at = now() - interval '90 days', linked_at = null, linked_in_sessions = '{}'
      where processor_account_id = ${owner.connected}`);
    const thief = await logIn(owner);
    const linked = await thief('POST', path(owner.connected), json && { json });
    return { owner, requested, linked };
  }

  for (const [what, path, json] of [
    ['by a new link', (account: string) => `${ACCOUNTS}/${account}/onboarding-link`, undefined],
    ['by opening it again', () => ACCOUNTS, { country: 'US' }],
  ] as const) {
    it(`receives nothing once that session is removed from another one, ${what}`, async () => {
      const { owner, requested, linked } = await stolen(path, json);
      const sessions = (await owner.ask('GET', '/v2/auth/sessions')).body as { session_id: string; current: boolean }[];

      for (const { session_id, current } of sessions)
        if (!current) await owner.ask('POST', '/v2/auth/sessions/revoke', { json: { session_id } });
      const submitted = await owner.submit(requested);

      expect(linked.body.onboarding_url).to.be.a('string');
      expect((await owner.ask('GET', ACCOUNTS)).body).to.deep.equal([]);
      expect(submitted.body.error?.code).to.equal('V2_PAYOUT_ACCOUNT_NOT_READY');
    });
  }

  it('receives nothing after a reset of the password', async () => {
    const { owner } = await stolen((account) => `${ACCOUNTS}/${account}/onboarding-link`);
    const { email } = owner;

    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const mail = await until('a reset', () =>
      service.mailbox.mails(email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
    await app.ask('POST', '/v2/auth/password-reset/confirm', { json });
    const back = await logIn(owner, NEW_PASSWORD);

    expect((await back('GET', ACCOUNTS)).body).to.deep.equal([]);
  });

  it('stays if the session that is removed asked for no link', async () => {
    const owner = await earner(service, app, 900);
    await logIn(owner);
    const sessions = (await owner.ask('GET', '/v2/auth/sessions')).body as { session_id: string; current: boolean }[];

    for (const { session_id, current } of sessions)
      if (!current) await owner.ask('POST', '/v2/auth/sessions/revoke', { json: { session_id } });

    expect((await owner.ask('GET', ACCOUNTS)).body).to.have.length(1);
  });

  it('is opened, and the response says so, if the session ends before it gets the link', async () => {
    const owner = await service.user(app);
    await service.db.query(sql.unsafe`
      create function end_sessions() returns trigger language plpgsql as $$
      begin
        update user_sessions set revoked_at = now() where user_id = new.user_id;
        return null;
      end $$`);
    await service.db.query(sql.unsafe`
      create trigger logs_out after insert on connect_accounts for each row execute function end_sessions()`);

    const reply = await owner.ask('POST', ACCOUNTS, { json: { country: 'US' } });
    await service.db.query(sql.unsafe`drop function end_sessions() cascade`);

    expectRejected(reply, 'V2_SESSION_INVALID', { effect: 'done' });
    expect((await (await logIn(owner))('GET', ACCOUNTS)).body).to.have.length(1);
  });
});
