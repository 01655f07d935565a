import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { caller } from '../../support/caller.ts';
import { type Money, startMoney, tier25k, tierDemo } from '../../support/money.ts';

const CONNECT_URLS = {
  connect_return_url: 'https://example.com/back',
  connect_refresh_url: 'https://example.com/again',
};

describe('the daily budgets', () => {
  let money: Money;
  before(async () => {
    money = await startMoney({ settings: { THROTTLE_SCALE: '1' } });
  });
  after(() => money.stop());

  const buy = (user: Money['buyer'], key?: string) =>
    user.ask('POST', '/v2/payments/checkout', {
      json: tier25k,
      ...(key && { headers: { 'Idempotency-Key': key } }),
    });
  const countPayments = (userId: string) =>
    money.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count from payments where user_id = ${userId}`);
  const setLimits = async (path: string, daily_limits: object) => {
    const { ask } = await money.admin();
    const { status, body } = await ask('PATCH', path, { json: { daily_limits } });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.daily_limits;
  };

  it('of checkouts end the tries of one user and nobody else, and a repeat under its key is answered as before', async () => {
    const app = await money.app(['api']);
    await setLimits(`/v2/admin/apps/${app.appId}`, { checkouts_per_user: 2 });
    const [thief, buyer] = [await money.user(app), await money.user(app)];
    const first = await buy(thief, 'first');
    await buy(thief);
    const [over, repeated, other] = [await buy(thief), await buy(thief, 'first'), await buy(buyer)];

    expect(over.status).to.equal(429);
    expect(over.body.error.code).to.equal('V2_THROTTLED');
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 86_400);
    expect(over.headers.get('ratelimit-policy')).to.include('"checkouts_per_user";q=2;w=86400');
    expect(repeated.body.payment_id).to.equal(first.body.payment_id);
    expect(other.status).to.equal(200);
    expect(await countPayments(thief.userId)).to.equal(2);
  });

  it('of an app are not used up by rejected tries of one user', async () => {
    const app = await money.app(['api']);
    await setLimits(`/v2/admin/apps/${app.appId}`, { checkouts: 3, checkouts_per_user: 1 });
    const [thief, buyer] = [await money.user(app), await money.user(app)];
    const tries: number[] = [];
    for (let n = 0; n < 8; n += 1) tries.push((await buy(thief)).status);

    expect(tries).to.deep.equal([200, ...Array(7).fill(429)]);
    expect((await buy(buyer)).status).to.equal(200);
  });

  it('of an app end its checkouts, and not those of another app', async () => {
    const [app, other] = [await money.app(['api']), await money.app(['api'])];
    await setLimits(`/v2/admin/apps/${app.appId}`, { checkouts: 1 });
    const statuses = [];
    for (const user of [await money.user(app), await money.user(app), await money.user(other)])
      statuses.push((await buy(user)).status);
    expect(statuses).to.deep.equal([200, 429, 200]);
  });

  it('end identity verifications and payout accounts of a user', async () => {
    const app = await money.app(['api', 'payouts:write']);
    const path = `/v2/admin/apps/${app.appId}`;
    await setLimits(path, { identity_sessions_per_user: 1, payout_accounts_per_user: 0 });
    const { ask } = await money.admin();
    await ask('PATCH', path, { json: CONNECT_URLS });
    const user = await money.user(app);
    const begin = () => user.ask('POST', '/v2/kyc/processor-identity/session');
    expect([(await begin()).status, (await begin()).status]).to.deep.equal([200, 429]);
    const opened = await user.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    expect(opened.body.error?.code).to.equal('V2_THROTTLED');
    expect((await user.ask('GET', '/v2/connect/accounts')).body).to.deep.equal([]);
  });

  it('of subaccounts end those of one partner', async () => {
    const { ask } = await money.admin();
    const { body } = await ask('POST', '/v2/admin/partners', { json: { name: 'Partner' } });
    await setLimits(`/v2/admin/partners/${body.partner_id}`, { subaccounts: 1 });
    const [limited, other] = [caller(money.url, body.key), await money.partner()];
    const register = (from: typeof limited) =>
      from.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });

    expect((await register(limited)).status).to.equal(200);
    const over = await register(limited);
    expect(over.status).to.equal(429);
    expect(over.body.error.code).to.equal('RATE_LIMITED');
    expect((await register(other)).status).to.equal(200);
  });

  it('of free accounts stop new ones of one app, since each uses up a subaccount of the entity that all share', async () => {
    const app = await money.app(['api']);
    await setLimits(`/v2/admin/apps/${app.appId}`, { free_accounts: 1 });
    const [first, second, other] = [await money.user(app), await money.user(app), money.buyer];
    const open = (user: Money['buyer'], more: object = {}) =>
      user.ask('POST', '/v2/payments/free', { json: { ...tierDemo, ...more } });

    const wrong = [await open(second, { tier_id: 'tier_none' }), await open(second, { account_size: 1 })];
    const made = await open(first);
    const over = await open(second);
    const again = await open(first);

    expect(wrong.map(({ status }) => status)).to.not.include(429);
    expect([made.status, again.status, again.body.id]).to.deep.equal([200, 200, made.body.id]);
    expect(over.status).to.equal(429);
    expect(over.body.error).to.include({ code: 'V2_THROTTLED', effect: 'none' });
    expect((await second.ask('GET', '/v2/payments/prop-accounts')).body).to.deep.equal([]);
    expect((await open(other)).status).to.equal(200);
  });

  it('are changed by name, one by one; null restores the general number', async () => {
    const { appId } = await money.app();
    const path = `/v2/admin/apps/${appId}`;
    expect(await setLimits(path, { checkouts: 7, identity_sessions: 8 })).to.deep.equal({
      checkouts: 7,
      identity_sessions: 8,
    });
    expect(await setLimits(path, { checkouts: null })).to.deep.equal({ identity_sessions: 8 });
    const { ask } = await money.admin();
    for (const daily_limits of [{ checkout: 1 }, { checkouts: -1 }, { checkouts: 1.5 }, []])
      expect((await ask('PATCH', path, { json: { daily_limits } })).status).to.equal(422);
  });
});
