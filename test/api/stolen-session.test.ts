import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { GRANTS } from '../support/authorization.ts';
import { type Earner, earner, payingApp } from '../support/earning.ts';
import { asking, bearer, codeOf, PASSWORD, resetTokenIn, type TestApp } from '../support/identity.ts';
import { type Money, startMoney } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { sampleOf } from '../support/samples.ts';

const NEW_PASSWORD = 'chosen by the owner';
/** They end the session that the walk goes on with, or are about its end. */
const ENDS = new Set<string>(['revokeUserSession', 'disableUserTotp']);

/** Operations that reject the thief, by the reason. Any other one has its effect, for the thief too. */
const REJECTED: Record<string, string> = {
  reauthenticateUser: 'it does not know the password',
  enrollUserTotp: 'the thief has an authenticator already',
  confirmUserTotp: 'the thief has an authenticator already',
  startIdentitySession: 'the identity is verified already',
  submitPayout: 'the destination is too new',
  setTradingTpSl: 'the position was closed before',
  cancelTradingOrder: 'it is filled',
  editTradingOrder: 'it is filled',
};

const isOfUsers = ({ id }: Operation) => GRANTS.get(id)?.some((grant) => 'userSession' in grant) ?? false;
const LAST = ['replaceConnectAccount', 'detachConnectAccount']; // others need the account
const WALK = listOperations()
  .filter((operation) => isOfUsers(operation) && !ENDS.has(operation.id))
  .sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));

/** A sample of an operation with the user's own ids in the place of those of the contract. */
function sampleFor(operation: Operation, ids: Record<string, string>) {
  const sample = sampleOf(operation);
  const query = sample.path.split('?')[1];
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no ${name}`);
  const own = Object.entries(sample.body ?? {}).map(([name, value]) => [name, ids[name] ?? value]);
  return { ...sample, path: query ? `${path}?${query}` : path, body: sample.body && Object.fromEntries(own) };
}

describe('a stolen session', function () {
  this.timeout(120_000);
  let service: Money;
  let app: TestApp;
  let user: Earner;
  before(async () => {
    service = await startMoney({ settings: { PAYOUT_DESTINATION_HOLD_H: '24' } });
    app = await payingApp(service);
    user = await earner(service, app, 900);
  });
  after(() => service.stop());

  const logIn = async (password: string) => {
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email: user.email, password } });
    const headers = { ...bearer(app.token), 'X-Session-Token': body.session_token };
    return { id: body.session_token as string, ask: asking(service.url, headers), isWhole: body.session_token != null };
  };

  it('tries every operation of a user; after the reset nothing that it made is alive', async () => {
    const thief = await logIn(PASSWORD);
    const session = await service.db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select s.id from user_sessions s where s.user_id = ${user.userId} order by s.created_at desc limit 1`);
    const tried = new Map<string, number>();
    await thief.ask('POST', '/v2/payouts/request', { json: { amount_cents: 1_000 } });
    const enrolled = await thief.ask('POST', '/v2/auth/totp/enroll');
    await thief.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(enrolled.body.secret) } });
    const { body: key } = await thief.ask('POST', '/v2/api-keys', {
      json: { label: 'bot', prop_account_id: user.account.id },
    });
    const byKey = asking(service.url, { 'X-Api-Key': key.api_key });
    expect((await byKey('GET', '/v2/trading/positions')).status).to.equal(200);

    const spare = await thief.ask('POST', '/v2/api-keys', {
      json: { label: 'spare', prop_account_id: user.account.id },
    });
    const order = await thief.ask('POST', '/v2/trading/orders', { json: market() });
    const ids = {
      payment_id: await idOf(sql.fragment`payments where user_id = ${user.userId}`),
      id: user.account.id,
      prop_account_id: user.account.id,
      processor_account_id: user.connected,
      payout_id: await idOf(sql.fragment`payouts where user_id = ${user.userId}`),
      api_key_id: spare.body.id,
      order_uuid: order.body.order_uuid,
      intent_id: String(order.headers.get('intent-id')),
    };

    for (const operation of WALK) {
      const { method, path, headers, body } = sampleFor(operation, ids);
      const options = {
        headers: { ...headers, 'Idempotency-Key': randomUUID(), 'X-Prop-Account': user.account.id },
        ...(body && { json: body }),
      };
      if (!operation.streams) tried.set(operation.id, (await thief.ask(method, path, options)).status);
    }
    await thief.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    const made = await madeIn(session);

    await resetByOwner();

    expect(tried.size).to.be.above(40);
    const rejected = [...tried].filter(([, status]) => status >= 400).map(([id]) => id);
    expect(rejected).to.have.members(Object.keys(REJECTED));
    expect(Object.keys(made).filter((table) => made[table] === 0)).to.deep.equal([]);
    expect(await aliveOf(session)).to.deep.equal({
      trader_keys: 0,
      connect_accounts: 0,
      payouts: 0,
      users: 0,
      user_sessions: 0,
    });
    expect((await byKey('GET', '/v2/trading/positions')).status).to.equal(401);
    const open: string[] = [];
    for (const operation of WALK.filter(({ streams }) => !streams)) {
      const { method, path, headers, body } = sampleOf(operation);
      const { status } = await thief.ask(method, path, { headers, ...(body && { json: body }) });
      if (status !== 401) open.push(`${operation.id} ${status}`);
    }
    expect(open.filter((each) => !takesTheAppAlone(each))).to.deep.equal([]);
    const owner = await logIn(NEW_PASSWORD);
    expect(owner.isWhole, 'without a code of the thief').to.equal(true);
    expect((await owner.ask('GET', '/v2/auth/sessions')).body).to.have.length(1);
  });

  /** Operations that the app may call without a user accept the request as the app's. */
  const takesTheAppAlone = (each: string) =>
    GRANTS.get(each.split(' ')[0] ?? '')?.some((grant) => 'appToken' in grant && !('userSession' in grant)) ?? false;

  const idOf = (rows: FragmentSqlToken) =>
    service.db.oneFirst(sql.type(z.object({ id: z.string() }))`select id from ${rows} order by id limit 1`);

  async function resetByOwner(): Promise<void> {
    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email: user.email } });
    const mail = await until('a reset', () =>
      service.mailbox.mails(user.email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email: user.email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
    await app.ask('POST', '/v2/auth/password-reset/confirm', { json });
  }

  const madeIn = (session: string): Promise<Record<string, number>> =>
    service.db.one(sql.type(z.record(z.string(), z.number()))`
      select
        (select count(*)::integer from trader_keys k where k.made_in_session = ${session}) as trader_keys,
        (select count(*)::integer from connect_accounts c where c.made_in_session = ${session}) as connect_accounts,
        (select count(*)::integer from payouts p where p.made_in_session = ${session}) as payouts`);

  const aliveOf = (session: string) =>
    service.db.one(sql.unsafe`
      select
        (select count(*)::integer from trader_keys k where k.made_in_session = ${session} and k.revoked_at is null) as trader_keys,
        (select count(*)::integer from connect_accounts c where c.made_in_session = ${session} and c.detached_at is null) as connect_accounts,
        (select count(*)::integer from payouts p where p.made_in_session = ${session} and p.status not in ('failed', 'canceled')) as payouts,
        (select count(*)::integer from users u where u.totp_session_id = ${session} or u.id = ${user.userId} and u.totp_enabled_at is not null) as users,
        (select count(*)::integer from user_sessions s where s.id = ${session} and s.revoked_at is null) as user_sessions`);
});
