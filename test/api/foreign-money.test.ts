import { expect } from 'chai';
import { sql } from 'slonik';
import { appForPayouts, type Earner, earner, requestPayout } from '../support/foreign.ts';
import type { Ask } from '../support/identity.ts';
import { type Money, startMoney } from '../support/money.ts';

describe('the money of another user', function () {
  this.timeout(60_000);
  let service: Money;
  let victim: Earner;
  let thieves: Record<string, Earner>;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '1500' } });
    const [app, other] = [await appForPayouts(service), await appForPayouts(service)];
    victim = await earner(service, app);
    thieves = {
      'another user of the app': await earner(service, app),
      'a user of another app': await earner(service, other),
    };
  });
  after(() => service.stop());

  const state = () =>
    service.db.any(sql.unsafe`
      select (select count(*)::integer from payouts) as payouts, (select count(*)::integer from intents where kind like 'payouts/%') as intents,
        (select count(*)::integer from payouts p where p.submitted_at is not null) as submitted,
        (select count(*)::integer from payouts p where p.canceled_at is not null) as canceled,
        (select count(*)::integer from connect_accounts c where c.detached_at is not null) as detached`);

  for (const who of ['another user of the app', 'a user of another app']) {
    const attempts: [string, (thief: Earner) => ReturnType<Ask>, codes: string[]][] = [
      ['submits a payout', ({ ask }) => ask('POST', `/v2/payouts/${victim.payout}/submit`), ['V2_PAYOUT_UNKNOWN']],
      ['cancels a payout', ({ ask }) => ask('POST', `/v2/payouts/${victim.payout}/cancel`), ['V2_PAYOUT_UNKNOWN']],
      [
        'detaches a payout account',
        ({ ask }) => ask('DELETE', `/v2/connect/accounts/${victim.connect}`),
        ['V2_CONNECT_ACCOUNT_UNKNOWN'],
      ],
      [
        'replaces a payout account',
        ({ ask }) => ask('PUT', `/v2/connect/accounts/${victim.connect}`, { json: { country: 'US' } }),
        ['V2_CONNECT_ACCOUNT_UNKNOWN'],
      ],
      [
        'gets an onboarding link',
        ({ ask }) => ask('POST', `/v2/connect/accounts/${victim.connect}/onboarding-link`),
        ['V2_CONNECT_ACCOUNT_UNKNOWN'],
      ],
      [
        'requests a payout from an account',
        ({ ask }) => requestPayout(ask, victim.account),
        ['V2_PROP_ACCOUNT_UNKNOWN'],
      ],
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
    expect((await requestPayout(victim.ask, victim.account)).status).to.equal(200);
    expect((await victim.ask('GET', '/v2/payouts/estimate')).body.available).to.equal(true);
  });
});
