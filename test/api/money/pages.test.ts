import { expect } from 'chai';
import { sql } from 'slonik';
import type { Ask, TestApp, TestUser } from '../../support/identity.ts';
import { type Money, startMoney } from '../../support/money.ts';

describe('lists of accounts and payouts', () => {
  let service: Money;
  let tenant: TestApp;
  let trader: TestUser;
  before(async () => {
    service = await startMoney();
    tenant = await service.app(['*']);
    trader = await service.user(tenant);
    await service.db.query(sql.unsafe`
      insert into tiers (id, market, asset_class, account_size, amount_cents, currency, active)
      select 'tier_page_' || n, 'crypto', 'crypto', 1000, 0, 'usd', false from generate_series(1, 5) n`);
    await service.db.query(sql.unsafe`
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, created_at)
      select 'prop_page' || n, ${tenant.appId}, ${trader.userId}, 'tier_page_' || n, 'crypto', 'crypto', 1000, 'subaccount_failed',
        now() - make_interval(mins => n / 2) -- some are of one moment
      from generate_series(1, 5) n`);
    await service.db.query(sql.unsafe`
      insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
      values ('con_page', ${tenant.appId}, ${trader.userId}, 'acct_page', true, true, true)`);
    await service.db.query(sql.unsafe`
      insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, requested_at)
      select 'po_page' || n, ${tenant.appId}, ${trader.userId}, 'prop_page1', 'con_page', n, 'usd', now() - make_interval(mins => n / 2)
      from generate_series(1, 5) n`);
  });
  after(() => service.stop());

  /** Follows `Link` to the end. */
  async function pages(ask: Ask, path: string): Promise<string[][]> {
    const found: string[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, body, headers } = await ask('GET', next);
      expect(status).to.equal(200);
      found.push(body.map(({ id }: { id: string }) => id));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return found;
  }

  for (const [what, path, of] of [
    ["the user's accounts", '/v2/payments/prop-accounts', 'user'],
    ["the app's failed accounts", '/v2/payments/prop-accounts/failed', 'app'],
    ["the user's payouts", '/v2/payouts', 'user'],
  ] as const) {
    it(`${what} are paged without gaps and repetitions`, async () => {
      const ask = of === 'user' ? trader.ask : tenant.ask;

      const whole = await pages(ask, path);
      const parts = await pages(ask, `${path}?limit=2`);

      expect(whole).to.have.length(1);
      expect(whole[0]).to.have.length(5);
      expect(parts.map(({ length }) => length)).to.deep.equal([2, 2, 1]);
      expect(parts.flat()).to.deep.equal(whole[0]);
    });
  }

  for (const [what, changed] of [
    ['was taken off sale', sql.unsafe`update tiers set active = false where id = 'tier_demo'`],
    ['became the dearest', sql.unsafe`update tiers set amount_cents = 99999999 where id = 'tier_demo'`],
  ] as const)
    it(`tiers go on behind one that ${what}`, async () => {
      const rest = (await trader.ask('GET', '/v2/tiers')).body.slice(1).map(tierOf);
      const first = await trader.ask('GET', '/v2/tiers?limit=1');
      await service.db.query(changed);

      const [, path = ''] = /<([^>]+)>/.exec(first.headers.get('link') ?? '') ?? [];
      const { status, body } = await trader.ask('GET', path.replace('limit=1', 'limit=500'));
      await service.db.query(sql.unsafe`update tiers set active = true, amount_cents = 0 where id = 'tier_demo'`);

      expect(first.body.map(tierOf)).to.deep.equal(['tier_demo']);
      expect(status).to.equal(200);
      expect(body.map(tierOf)).to.include.members(rest);
    });
});

const tierOf = ({ tier_id }: { tier_id: string }) => tier_id;
