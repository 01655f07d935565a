import { expect } from 'chai';
import { act, closeExchange, type Exchange, foundOf, itemsOf, openExchange, place } from './exchange.ts';

describe('positions on the sandbox exchange', () => {
  let exchange: Exchange;

  beforeEach(async () => {
    exchange = await openExchange();
  });

  afterEach(() => closeExchange(exchange));

  it('have a leverage, which sets the margin', async () => {
    const response = await act(exchange, { kind: 'set_leverage', asset: 1, leverage: 5, isCross: false });
    await place(exchange, { timeInForce: 'ioc' });

    const account = foundOf(await exchange.venue.account(exchange.wallet.address));

    expect(itemsOf(response)).to.deep.equal([]);
    expect(account.marginUsed).to.equal('200');
    expect(account.positions[0]).to.include({ entryPrice: '100000' });
    expect(foundOf(await exchange.venue.leverage(exchange.wallet.address, 'BTC'))).to.equal(5);
  });

  it('compute profit and loss of both sides, averaged and reversed', async () => {
    const trade = (side: 'buy' | 'sell', size: string, price: string) =>
      place(exchange, { side, size, price, timeInForce: 'ioc' });
    await trade('buy', '0.02', '100000');
    exchange.upstream.setMid('BTC', '110000');
    await trade('buy', '0.02', '110000');
    exchange.upstream.setMid('BTC', '105000');
    await trade('sell', '0.05', '105000');

    const { positions } = foundOf(await exchange.venue.account(exchange.wallet.address));
    const fills = foundOf(await exchange.venue.recentFills(exchange.wallet.address));

    expect(positions[0]).to.include({ size: '-0.01', entryPrice: '105000', unrealizedPnl: '0' });
    expect(fills.map(({ closedPnl }) => closedPnl)).to.deep.equal(['0', '0', '0']);
    expect(fills.map(({ direction }) => direction)).to.deep.equal(['Close Long', 'Open Long', 'Open Long']);
  });
});
