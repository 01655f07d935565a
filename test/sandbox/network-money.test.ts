import { expect } from 'chai';
import { closeNetwork, control, dashboardOf, type Network, openNetwork, order, take } from './network.ts';

const HOTKEY = '5Entity_0';
const DAY_MS = 86_400_000;

describe('money at the sandbox network', () => {
  let network: Network;
  beforeEach(async () => {
    network = await openNetwork();
  });
  afterEach(() => closeNetwork(network));

  it('includes drawdowns that the adapter reads in percent', async () => {
    await take(network, order({ leverage: 1 }));
    network.upstream.setPrice('BTCUSDC', 98_000);
    await control(network, 'subaccount', { subaccount_id: 0, closes: { last: 0.97, highest: 1 } });

    const { drawdown, money } = await dashboardOf(network);

    expect(drawdown?.intraday).to.be.closeTo(2, 1e-9);
    expect(drawdown?.overall).to.be.closeTo(3, 1e-9);
    expect(drawdown).to.include({ intradayLimit: 5, overallLimit: 5, equity: 0.98 });
    expect(money).to.include({ balance: 10_000, realizedPnl: 0 });
  });

  it('limits a subaccount by its class, and a linked wallet by one figure', async () => {
    const exAddress = `0x${'b'.repeat(40)}`;
    await network.venue.createSubaccount({ exAddress, accountSize: 20_000 });

    const [fixture, linked] = [await network.venue.limits(HOTKEY), await network.venue.walletLimits(exAddress)];

    expect(fixture).to.nested.include({
      'data.portfolioUsd': 15_000,
      'data.tier': 1,
      'data.pairLeverage.BTCUSDC': 1.5,
    });
    expect(fixture).not.to.have.nested.property('data.pairLeverage.EURUSD');
    expect(linked).to.nested.include({ 'data.portfolioUsd': 80_000, 'data.perPairUsd': 10_000 });
    expect(await network.venue.limits('5Entity_77')).to.deep.equal({ kind: 'absent' });
  });

  it('includes payouts of funded accounts only', async () => {
    const { subaccountUuid } = await dashboardOf(network);
    const monday = 4 * DAY_MS;
    const settlements = [{ start_ms: monday, end_ms: monday + 7 * DAY_MS, payout: 12.5 }];
    const ask = () => network.venue.settlements({ uuid: String(subaccountUuid), hotkey: null }, Date.now());

    expect(await ask()).to.deep.equal({ kind: 'absent' });
    await control(network, 'subaccount', { subaccount_id: 0, bucket: 'SUBACCOUNT_FUNDED', settlements });

    expect(await ask()).to.nested.include({ 'data[0].payoutUsd': 12.5 });
  });

  for (const [what, start, end] of [
    ['a start that is no Monday', DAY_MS, 30 * DAY_MS],
    ['an end off its boundary', 0, 3_600_000],
    ['an end before its start', 18 * DAY_MS, 4 * DAY_MS],
  ] as const) {
    it(`returns no payouts to ${what}`, async () => {
      const { subaccountUuid } = await dashboardOf(network);

      const reply = await fetch(`${network.upstream.validatorUrl}/entity/subaccount/payout`, {
        method: 'POST',
        headers: { authorization: 'validator-key' },
        body: JSON.stringify({ subaccount_uuid: subaccountUuid, start_time_ms: start, end_time_ms: end }),
      });

      expect(reply.status).to.equal(400);
    });
  }
});
