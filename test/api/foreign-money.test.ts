import { expect } from 'chai';
import { sql } from 'slonik';
import type { Ask, TestApp, TestUser } from '../support/identity.ts';
import { accountIn, type Money, startMoney, tierDemo } from '../support/money.ts';

const RETURN_URLS = {
  connect_return_url: 'https://example.com/back',
  connect_refresh_url: 'https://example.com/again',
};
const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');

/** A user with everything that a payout needs: real ids that another user may try. */
type Earner = TestUser & { account: string; connect: string; payout: string };

describe('the money of another user', function () {
  this.timeout(60_000);
  let service: Money;
  let victim: Earner;
  let thieves: Record<string, Earner>;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '1500' } });
    const [app, other] = [await appForPayouts(), await appForPayouts()];
    victim = await earner(app);
    thieves = { 'another user of the app': await earner(app), 'a user of another app': await earner(other) };
  });
  after(() => service.stop());

  async function appForPayouts(): Promise<TestApp> {
    const app = await service.app(['api', 'payouts:write']);
    await (await service.admin()).ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: RETURN_URLS });
    return app;
  }

  /** Verified, connected, and with 500 dollars earned on a funded account, of which 10 are requested. */
  async function earner(app: TestApp): Promise<Earner> {
    const user = await service.user(app);
    const { userId } = user;
    await user.ask('POST', '/v2/payments/free', { json: tierDemo });
    const account = await accountIn(user.ask, 'evaluation');
    const connect = `acct_${userId}`;
    await service.db.query(sql.unsafe`
      insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
      values (${userId}, ${app.appId}, 'processor_identity', ${`vs_${userId}`}, 'verified', now())`);
    await service.db.query(sql.unsafe`
      insert into connect_accounts (id, owner, user_id, processor_account_id, country, payouts_enabled, charges_enabled, details_submitted)
      values (${`con_${userId}`}, ${app.appId}, ${userId}, ${connect}, 'US', true, true, true)`);
    await service.network({
      subaccount_id: account.subaccount_id,
      bucket: 'SUBACCOUNT_FUNDED',
      settlements: [{ start_ms: MONDAY_MS, end_ms: MONDAY_MS + 1, payout: 500 }],
    });
    await user.ask('POST', `/v2/lifecycle/sync/${account.id}`);
    await accountIn(user.ask, 'funded');
    const requested = await request(user.ask, account.id);
    expect(requested.status, JSON.stringify(requested.body)).to.equal(200);
    return { ...user, account: account.id, connect, payout: requested.body.id };
  }

  const request = (ask: Ask, prop_account_id: string) =>
    ask('POST', '/v2/payouts/request', { json: { amount_cents: 1_000, prop_account_id } });
  const state = () =>
    service.db.any(sql.unsafe`
      select (select count(*)::integer from payouts) as payouts, (select count(*)::integer from intents where kind like 'payouts/%') as intents,
        (select count(*)::integer from payouts p where p.submitted_at is not null) as submitted`);

  for (const who of ['another user of the app', 'a user of another app']) {
    const attempts: [string, (thief: Earner) => ReturnType<Ask>, codes: string[]][] = [
      ['submits a payout', ({ ask }) => ask('POST', `/v2/payouts/${victim.payout}/submit`), ['V2_PAYOUT_UNKNOWN']],
      [
        'gets an onboarding link',
        ({ ask }) => ask('POST', `/v2/connect/accounts/${victim.connect}/onboarding-link`),
        ['V2_CONNECT_ACCOUNT_UNKNOWN'],
      ],
      ['requests a payout from an account', ({ ask }) => request(ask, victim.account), ['V2_PROP_ACCOUNT_UNKNOWN']],
      [
        'creates an API key for an account',
        ({ ask }) => ask('POST', '/v2/api-keys', { json: { label: 'x', prop_account_id: victim.account } }),
        ['V2_PROP_ACCOUNT_UNKNOWN'],
      ],
      [
        'ends a session by its token or id',
        async ({ ask }) => {
          const [{ session_id }] = (await victim.ask('GET', '/v2/auth/sessions')).body;
          await ask('POST', '/v2/auth/sessions/revoke', { json: { session_id } });
          const { status } = await victim.ask('GET', '/v2/auth/me');
          return {
            status: status === 200 ? 404 : status,
            headers: new Headers(),
            body: { error: { code: 'still open' } },
          };
        },
        ['still open'],
      ],
    ];
    for (const [what, attempt, codes] of attempts)
      it(`is safe from ${who}, who ${what} by its real id`, async () => {
        const before = await state();

        const { status, body } = await attempt(thieves[who] as Earner);

        expect(status, JSON.stringify(body)).to.be.oneOf([403, 404, 409]);
        expect(codes).to.include(body.error.code);
        expect(await state()).to.deep.equal(before);
      });

    it(`estimates nothing of it for ${who} who names the account in a header`, async () => {
      const thief = thieves[who] as Earner;

      const named = await thief.ask('GET', '/v2/payouts/estimate', { headers: { 'X-Prop-Account': victim.account } });

      if (named.status === 200) expect(named.body.amount_cents).to.equal(0);
      else expect(named.status).to.be.oneOf([403, 404, 409]);
    });
  }

  it('is open to its owner by the same ids', async () => {
    expect((await request(victim.ask, victim.account)).status).to.equal(200);
    expect((await victim.ask('GET', '/v2/payouts/estimate')).body.available).to.equal(true);
  });
});
