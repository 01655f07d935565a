import { expect } from 'chai';
import { alone } from '../support/alone.ts';
import { HOTKEY, validator, venue, WALLET } from '../support/validator.ts';

describe('reading limits of the network', () => {
  alone();

  it('reads the limits of a subaccount', async () => {
    validator.get(`/subaccounts/${HOTKEY}/limits`).reply(200, {
      is_pro: false,
      tier_curve: 'standard',
      tier: 1,
      portfolio_multiplier: 1.5,
      max_portfolio_usd: 150_000,
      max_asset_class_usd: { crypto: 150_000 },
      positional_leverage: { BTCUSDC: 1.5, ADAUSDC: 0.5 },
      entity_collateral: { headroom_theta: null, headroom_usd: null },
    });

    expect(await venue.limits(HOTKEY)).to.deep.equal({
      kind: 'found',
      data: {
        tier: 1,
        accountSize: null,
        portfolioMultiple: 1.5,
        portfolioUsd: 150_000,
        perPairUsd: null,
        classUsd: { crypto: 150_000 },
        pairLeverage: { BTCUSDC: 1.5, ADAUSDC: 0.5 },
      },
    });
  });

  it('reads no limit below 0, which every order would exceed', async () => {
    const below = { max_asset_class_usd: { crypto: -1 }, positional_leverage: { BTCUSDC: -2, ADAUSDC: 0 } };
    validator
      .get(`/subaccounts/${HOTKEY}/limits`)
      .reply(200, { ...below, max_portfolio_usd: 5, max_position_per_pair_usd: '-5', portfolio_multiplier: -1 });

    const limits = await venue.limits(HOTKEY);

    expect(limits)
      .to.have.property('data')
      .that.includes({ perPairUsd: null, portfolioMultiple: null, classUsd: null });
    expect(limits).to.have.nested.property('data.pairLeverage').that.deep.equals({ ADAUSDC: 0 });
  });

  it('reads the limits of a wallet', async () => {
    validator.get(`/hl-traders/${WALLET.toLowerCase()}/limits`).reply(200, {
      status: 'success',
      hl_address: WALLET,
      account_size: 50_000,
      max_position_per_pair_usd: 25_000,
      max_portfolio_usd: 500_000,
      in_challenge_period: true,
    });

    expect(await venue.walletLimits(WALLET)).to.deep.include({
      data: {
        tier: null,
        accountSize: 50_000,
        portfolioMultiple: null,
        portfolioUsd: 500_000,
        perPairUsd: 25_000,
        classUsd: null,
        pairLeverage: {},
      },
    });
  });

  it('have no tier between two', async () => {
    validator.get(`/subaccounts/${HOTKEY}/limits`).reply(200, { max_portfolio_usd: 1, tier: 1.5 });

    expect(await venue.limits(HOTKEY)).to.have.nested.property('data.tier', null);
  });

  it('are unreadable if they are those of another wallet', async () => {
    const limits = { hl_address: `0x${'12'.repeat(20)}`, account_size: 50_000, max_portfolio_usd: 500_000 };
    validator.get(`/hl-traders/${WALLET.toLowerCase()}/limits`).reply(200, limits);

    expect(await venue.walletLimits(WALLET)).to.include({ kind: 'unreadable' });
  });

  for (const [what, status, body] of [
    ['a page', 200, '<html>'],
    ['a response without the cap of the portfolio', 200, { status: 'success' }],
    ['a cap of the portfolio below 0', 200, { max_portfolio_usd: -1 }],
    ['400 for a hotkey that is no subaccount’s', 400, { error: 'not a subaccount' }],
    ['an error', 500, {}],
  ] as const) {
    it(`is unreadable, never without limits: ${what}`, async () => {
      validator.get(`/subaccounts/${HOTKEY}/limits`).reply(status, body);

      expect(await venue.limits(HOTKEY)).to.include({ kind: 'unreadable' });
    });
  }
});
