import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import {
  type Ask,
  asking,
  bearer,
  PASSWORD,
  resetTokenIn,
  type TestAdmin,
  type TestApp,
} from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { until } from '../../support/processes.ts';

const ACCOUNTS = '/v2/connect/accounts';
const NEW_PASSWORD = 'chosen by the owner';

describe('payouts of a user whose session was stolen', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  let admin: TestAdmin;
  before(async () => {
    service = await startMoney({ settings: { PAYOUT_DESTINATION_HOLD_H: '24' } });
    app = await payingApp(service);
    admin = await service.admin();
  });
  after(() => service.stop());

  /** The owner logs in: a new session. */
  const logIn = async ({ email }: Pick<Earner, 'email'>, password = PASSWORD) => {
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email, password } });
    return asking(service.url, { ...bearer(app.token), 'X-Session-Token': body.session_token });
  };
  const reset = async ({ email }: Pick<Earner, 'email'>) => {
    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const mail = await until('a reset', () =>
      service.mailbox.mails(email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
    await app.ask('POST', '/v2/auth/password-reset/confirm', { json });
    return logIn({ email }, NEW_PASSWORD);
  };
  const transfersTo = (account: string) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'transfer' && detail.destination === account);
  const age = (account: string, hours: number) =>
    service.db.query(sql.unsafe`
      update connect_accounts set destination_at = now() - make_interval(hours => ${hours})
      where processor_account_id = ${account}`);
  const mailed = ({ email }: Pick<Earner, 'email'>, pattern: RegExp) =>
    until(`a mail ${pattern}`, () => service.mailbox.mails(email).find(({ subject }) => pattern.test(subject)));

  /** The replies of one write under one key, sent twice. */
  const twice = async (ask: Ask, method: string, path: string, json?: object) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const sent = { headers, ...(json && { json }) };
    return [await ask(method, path, sent), await ask(method, path, sent)];
  };

  it('do not go to an account that the thief opened, once the owner has reset the password', async () => {
    const thief = await earner(service, app, 900); // with the owner's session
    await age(thief.connected, 25);
    const requested = await thief.request(20_000);

    const owner = await reset(thief);
    const opened = await owner('POST', ACCOUNTS, { json: { country: 'US' } });
    const submitted = await owner('POST', `/v2/payouts/${requested}/submit`);
    const stolen = await thief.ask('GET', '/v2/auth/me');

    expect(opened.status).to.equal(200);
    expect(opened.body.processor_account_id).to.be.a('string').and.not.equal(thief.connected);
    expect([submitted.status, submitted.body.error?.code]).to.deep.equal([409, 'V2_PAYOUT_QUARANTINED']);
    expect(stolen.status).to.equal(401);
    expect(transfersTo(thief.connected)).to.deep.equal([]);
  });

  it('are sent nowhere for a day after the account was opened, and the owner is notified', async () => {
    const user = await earner(service, app, 900);
    const requested = await user.request(20_000);

    const early = await user.submit(requested);
    await age(user.connected, 23);
    const stillEarly = await user.submit(requested);
    const before = transfersTo(user.connected).length;
    await age(user.connected, 25);
    const late = await user.submit(requested);

    for (const reply of [early, stillEarly])
      expect([reply.status, reply.body.error?.code]).to.deep.equal([409, 'V2_PAYOUT_DESTINATION_HELD']);
    expect(before).to.equal(0);
    expect(late.status).to.equal(200);
    expect(transfersTo(user.connected)).to.have.length(1);
    await mailed(user, /payout account was opened/);
    await mailed(user, /payout of your account .* was submitted/);
  });

  for (const [how, states] of [
    ['at the same bank with the same last digits', ['moved']],
    ['after the owner’s was removed', ['bankless', 'moved']],
  ] as const)
    it(`wait again, and the owner is notified, when the account shows another bank account ${how}`, async () => {
      const user = await earner(service, app, 900);
      await age(user.connected, 25);
      const requested = await user.request(20_000);
      await service.control('account', { id: user.connected }); // shows the same one again
      for (const to of states) await service.control('account', { id: user.connected, to });

      await mailed(user, /bank account for your payouts .* was changed/);
      const reply = await user.submit(requested);

      expect([reply.status, reply.body.error?.code]).to.deep.equal([409, 'V2_PAYOUT_DESTINATION_HELD']);
    });

  it('wait again also while nobody has reported yet that the bank account was changed', async () => {
    const user = await earner(service, app, 900);
    await age(user.connected, 25);
    const requested = await user.request(20_000);
    await service.control('notifications', { hold: true });
    await service.control('account', { id: user.connected, to: 'moved' });

    const reply = await user.submit(requested).finally(() => service.control('notifications', { hold: false }));

    expect([reply.status, reply.body.error?.code]).to.deep.equal([409, 'V2_PAYOUT_DESTINATION_HELD']);
    expect(transfersTo(user.connected)).to.deep.equal([]);
    await mailed(user, /bank account for your payouts .* was changed/);
  });

  it('stay canceled or stopped, whichever came first; of both at once exactly one happens', async () => {
    const user = await earner(service, app, 900);
    const [before, after, both] = [await user.request(1_000), await user.request(2_000), await user.request(3_000)];
    const cancel = (id: string, ask = user.ask) => ask('POST', `/v2/payouts/${id}/cancel`);
    await cancel(before);

    const [owner, raced] = await Promise.all([reset(user), cancel(both)]);
    const late = await cancel(after, owner);
    const shown = new Map<string, string>(
      (await owner('GET', '/v2/payouts')).body.map(({ id, status }: { id: string; status: string }) => [id, status]),
    );

    expect(shown.get(before)).to.equal('canceled');
    expect(shown.get(after)).to.equal('failed');
    expect([late.status, late.body.error?.code]).to.deep.equal([409, 'V2_PAYOUT_NOT_PENDING']);
    expect(shown.get(both)).to.equal(raced.status === 200 ? 'canceled' : 'failed');
    const reserved = await service.db.oneFirst(sql.unsafe`
      select coalesce(sum(m.reserved_cents), 0)::integer from payouts p cross join lateral payout_money(p) m where p.user_id = ${user.userId}`);
    expect(reserved).to.equal(0);
  });

  it('have their account detached by an operator in psql too, who is recorded once', async () => {
    const user = await earner(service, app, 900);
    const detach = (account: string) =>
      service.db.oneFirst(sql.unsafe`select ops.detach_payout_account(${account}, 'ada', 'opened by a thief')`);

    const verdicts = [await detach(user.connected), await detach(user.connected), await detach('acct_nobody')];
    const recorded = await service.db.any(sql.type(z.object({ verdict: z.string(), why: z.string() }))`
      select a.detail ->> 'verdict' as verdict, a.why
      from ops.actions a
      where a.subject = ${user.connected} and a.action = 'detach_payout_account'
      order by a.at`);

    expect(verdicts).to.deep.equal(['done', 'detached', 'unknown']);
    expect((await user.ask('GET', ACCOUNTS)).body).to.deep.equal([]);
    await mailed(user, /removed from your account/);
    expect(recorded.map(({ verdict }) => verdict)).to.deep.equal(['done', 'detached']);
    expect(recorded[0]?.why).to.equal('opened by a thief');
  });

  it('need a recent proof of the password where the app asks for it', async () => {
    const user = await earner(service, app, 900);
    const requested = await user.request(20_000);
    await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: { require_reauthentication: true } });
    const replies = [
      await user.ask('POST', ACCOUNTS, { json: { country: 'US' } }),
      await user.ask('POST', `${ACCOUNTS}/${user.connected}/onboarding-link`),
      await user.ask('DELETE', `${ACCOUNTS}/${user.connected}`),
      await user.submit(requested),
    ];
    await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: { require_reauthentication: false } });

    for (const { status, body } of replies)
      expect([status, body.error?.code]).to.deep.equal([403, 'V2_REAUTHENTICATION_REQUIRED']);
  });

  it('follow the owner to another account, which replaces the first', async () => {
    const user = await earner(service, app, 900);
    const requested = await user.request(20_000);

    const [detached, again] = await twice(user.ask, 'DELETE', `${ACCOUNTS}/${user.connected}`);
    const listed = await user.ask('GET', ACCOUNTS);
    const none = await user.submit(requested);
    const opened = (await user.ask('POST', ACCOUNTS, { json: { country: 'US' } })).body.processor_account_id;
    await service.control('account', { id: opened });
    await eventually(async () => (await user.ask('GET', ACCOUNTS)).body[0].payouts_enabled);
    await age(opened, 25);
    const sent = await user.submit(requested);

    expect([detached?.body, again?.body]).to.deep.equal([{ detached: true }, { detached: true }]);
    expect(listed.body).to.deep.equal([]);
    expect(none.body.error?.code).to.equal('V2_PAYOUT_ACCOUNT_NOT_READY');
    expect(sent.status).to.equal(200);
    expect(transfersTo(opened)).to.have.length(1);
    expect(transfersTo(user.connected)).to.deep.equal([]);
    await mailed(user, /payout account was removed/);
  });

  it('stop when the owner ends the session from another one, or an operator detaches the account', async () => {
    const [first, second, stranger] = [
      await earner(service, app, 900),
      await earner(service, app, 900),
      await earner(service, app, 900),
    ];
    const requested = await first.request(20_000);
    const owner = await logIn(first);
    const sessions = (await owner('GET', '/v2/auth/sessions')).body as { session_id: string; current: boolean }[];
    const foreign = await stranger.ask('DELETE', `${ACCOUNTS}/${second.connected}`);

    for (const { session_id, current } of sessions)
      if (!current) await owner('POST', '/v2/auth/sessions/revoke', { json: { session_id } });
    const path = `/v2/admin/payout-accounts/${second.connected}/detach`;
    const json = { reason: 'asked by phone' };
    const [detached, same] = await twice(admin.ask, 'POST', path, json);
    const repeated = await admin.ask('POST', path, { json: { reason: 'asked by phone' } });

    expect((await owner('GET', ACCOUNTS)).body).to.deep.equal([]);
    expect((await owner('POST', `/v2/payouts/${requested}/submit`)).body.error?.code).to.equal('V2_PAYOUT_QUARANTINED');
    expect(foreign.body.error?.code).to.equal('V2_CONNECT_ACCOUNT_UNKNOWN');
    expect([detached?.body, same?.body]).to.deep.equal([{ detached: true }, { detached: true }]);
    expect([repeated.status, repeated.body.error?.code]).to.deep.equal([404, 'V2_CONNECT_ACCOUNT_UNKNOWN']);
    expect((await second.ask('GET', ACCOUNTS)).body).to.deep.equal([]);
    expect((await stranger.ask('GET', ACCOUNTS)).body).to.have.length(1);
  });
});
