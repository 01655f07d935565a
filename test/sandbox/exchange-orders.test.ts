import { expect } from 'chai';
import {
  act,
  closeExchange,
  type Exchange,
  effectsOf,
  foundOf,
  heldBy,
  itemsOf,
  newCloid,
  openExchange,
  order,
  place,
} from './exchange.ts';

describe('orders on the sandbox exchange', () => {
  let exchange: Exchange;

  beforeEach(async () => {
    exchange = await openExchange();
  });

  afterEach(() => closeExchange(exchange));

  it('fill at the mid price when they cross it, and update position, fee and fill', async () => {
    const cloid = newCloid();

    const [item] = itemsOf(await place(exchange, { timeInForce: 'ioc', price: '105000', cloid }));

    expect(item).to.include({ kind: 'filled', filledSize: '0.01', averagePrice: '100000', cloid });
    expect(await heldBy(exchange)).to.equal('0.01');
    const [fill] = foundOf(await exchange.venue.recentFills(exchange.wallet.address));
    expect(fill).to.include({ cloid, coin: 'BTC', side: 'buy', price: '100000', size: '0.01', fee: '0.45' });
    const account = foundOf(await exchange.venue.account(exchange.wallet.address));
    expect(account).to.include({ accountValue: '99999.55', totalPositionValue: '1000', marginUsed: '50' });
    expect(effectsOf(exchange, cloid)).to.deep.equal(['placed', 'filled']);
  });

  it('that only reduce have no magic sizes', async () => {
    await place(exchange, { timeInForce: 'ioc', price: '105000', size: '0.06' });

    const [item] = itemsOf(
      await place(exchange, { side: 'sell', timeInForce: 'ioc', price: '95000', size: '0.0505', reduceOnly: true }),
    );

    expect(item).to.include({ kind: 'filled', filledSize: '0.0505' });
    expect(await heldBy(exchange)).to.equal('0.0095');
  });

  it('rest otherwise, are shown, and fill when the price is reached', async () => {
    const cloid = newCloid();

    const [item] = itemsOf(await place(exchange, { price: '99000', cloid }));
    const [shown] = foundOf(await exchange.venue.openOrders(exchange.wallet.address));
    const before = foundOf(await exchange.venue.orderStatus(exchange.wallet.address, cloid));
    exchange.upstream.setMid('BTC', '98999');
    const after = foundOf(await exchange.venue.orderStatus(exchange.wallet.address, cloid));

    expect(item).to.include({ kind: 'resting', cloid });
    expect(shown).to.include({
      cloid,
      coin: 'BTC',
      side: 'buy',
      limitPrice: '99000',
      size: '0.01',
      orderType: 'Limit',
    });
    expect([before.state, after.state]).to.deep.equal(['open', 'filled']);
    expect(effectsOf(exchange, cloid)).to.deep.equal(['placed', 'filled']);
  });

  it('are found by number and by cloid, only by their owner', async () => {
    const cloid = newCloid();
    const [item] = itemsOf(await place(exchange, { price: '99000', cloid }));
    const oid = item?.kind === 'resting' ? item.oid : 0;
    const { orderStatus } = exchange.venue;

    expect(foundOf(await orderStatus(exchange.wallet.address, oid)).order).to.include({ oid, cloid });
    expect(
      foundOf(await orderStatus(exchange.wallet.address, cloid.toUpperCase().replace('0X', '0x'))).order,
    ).to.include({
      oid,
    });
    expect(await orderStatus(`0x${'1'.repeat(40)}`, oid)).to.deep.equal({ kind: 'absent' });
    expect(await orderStatus(exchange.wallet.address, newCloid())).to.deep.equal({ kind: 'absent' });
  });

  it('silently drop the rest of an immediate order, and keep that of a resting one', async () => {
    exchange.upstream.setLiquidity('BTC', '0.004');
    const [immediate, resting] = [newCloid(), newCloid()];

    const [first] = itemsOf(await place(exchange, { timeInForce: 'ioc', cloid: immediate }));
    const [second] = itemsOf(await place(exchange, { cloid: resting }));
    const shown = foundOf(await exchange.venue.openOrders(exchange.wallet.address));

    expect(first).to.include({ kind: 'filled', filledSize: '0.004' });
    expect(second).to.include({ kind: 'resting' });
    expect(shown.map(({ cloid, size, originalSize }) => [cloid, size, originalSize])).to.deep.equal([
      [resting, '0.006', '0.01'],
    ]);
    expect(await heldBy(exchange)).to.equal('0.008');
  });

  for (const [why, slug, terms] of [
    ['off tick', 'tick_size', { price: '99999.55' }],
    ['with too many decimals', 'invalid_size', { size: '0.000001' }],
    ['of nothing', 'invalid_size', { size: '0' }],
    ['at no price', 'invalid_price', { price: '0' }],
    ['below 10 USD', 'below_minimum', { size: '0.00009' }],
    ['beyond the margin', 'insufficient_margin', { size: '21' }],
    ['far from the market', 'price_too_far', { price: '10000' }],
    ['that reduces nothing', 'reduce_only', { reduceOnly: true }],
    ['that is post-only but would take liquidity', 'post_only_would_match', { timeInForce: 'alo' }],
    ['that cannot be filled at once', 'no_match', { timeInForce: 'ioc', price: '99000' }],
    [
      'with its trigger behind it',
      'bad_trigger_price',
      { trigger: { price: '99000', kind: 'tp', isMarket: true }, side: 'sell' },
    ],
    ['of a delisted coin', 'trading_halted', { asset: 2, price: '0.4', size: '100' }],
    ['of an unknown coin', 'rejected_by_venue', { asset: 999 }],
    ['of the magic size for rejections', 'insufficient_margin', { size: '0.0404' }],
  ] as const) {
    it(`are rejected ${why}`, async () => {
      const cloid = newCloid();

      const response = await place(exchange, { ...terms, cloid });

      expect(response).to.include({ kind: 'rejected', slug });
      expect(effectsOf(exchange, cloid)).to.deep.equal([]);
      expect(await heldBy(exchange)).to.equal('0');
    });
  }

  it('are accepted next to rejected ones in a batch', async () => {
    const items = itemsOf(
      await place(exchange, { price: '99000' }, { price: '99000.55' }, { timeInForce: 'ioc' }, { size: '0.00001' }),
    );

    expect(items.map((item) => (item.kind === 'rejected' ? item.slug : item.kind))).to.deep.equal([
      'resting',
      'tick_size',
      'filled',
      'below_minimum',
    ]);
  });

  it('show later why they were rejected', async () => {
    const cloid = newCloid();
    await place(exchange, { timeInForce: 'ioc', price: '99000', cloid });

    const record = foundOf(await exchange.venue.orderStatus(exchange.wallet.address, cloid));

    expect(record).to.include({ state: 'rejected', word: 'iocCancelRejected' });
    expect(record.rejected).to.include({ slug: 'no_match' });
  });

  it('shrink to the position when reduce-only, and never reverse it', async () => {
    await place(exchange, { timeInForce: 'ioc' });

    const [item] = itemsOf(
      await place(exchange, { side: 'sell', size: '0.05', price: '95000', reduceOnly: true, timeInForce: 'ioc' }),
    );

    expect(item).to.include({ kind: 'filled', filledSize: '0.01' });
    expect(await heldBy(exchange)).to.equal('0');
  });

  it('may close a position below the minimum value, but not a part of it', async () => {
    await place(exchange, { timeInForce: 'ioc' });
    await place(exchange, { timeInForce: 'ioc', side: 'sell', size: '0.00991' });
    const closeTerms = { side: 'sell', reduceOnly: true, timeInForce: 'ioc' } as const;

    expect(await place(exchange, { ...closeTerms, size: '0.00005' })).to.include({ slug: 'below_minimum' });
    expect(itemsOf(await place(exchange, { ...closeTerms, size: '0.00009' }))).to.have.length(1);
    expect(await heldBy(exchange)).to.equal('0');
  });

  it('end with the position when reduce-only and resting', async () => {
    const cloid = newCloid();
    await place(exchange, { timeInForce: 'ioc' });
    await place(exchange, { side: 'sell', price: '110000', reduceOnly: true, cloid });

    await place(exchange, { timeInForce: 'ioc', side: 'sell' });

    const record = foundOf(await exchange.venue.orderStatus(exchange.wallet.address, cloid));
    expect(record).to.include({ state: 'cancelled', word: 'reduceOnlyCanceled' });
  });

  it('are cancelled by number and by cloid, once', async () => {
    const [a, b] = [newCloid(), newCloid()];
    const [first] = itemsOf(await place(exchange, { price: '99000', cloid: a }, { price: '98000', cloid: b }));
    const oid = first?.kind === 'resting' ? first.oid : 0;

    const byOid = await act(exchange, { kind: 'cancel', orders: [{ asset: 1, oid }] });
    const byCloid = await act(exchange, { kind: 'cancel_by_cloid', orders: [{ asset: 1, cloid: b }] });
    const again = await act(exchange, { kind: 'cancel', orders: [{ asset: 1, oid }] });

    expect([itemsOf(byOid), itemsOf(byCloid)]).to.deep.equal([[{ kind: 'done' }], [{ kind: 'done' }]]);
    expect(again).to.include({ kind: 'rejected', slug: 'order_gone' });
    expect(effectsOf(exchange, a)).to.deep.equal(['placed', 'cancelled']);
    expect(foundOf(await exchange.venue.openOrders(exchange.wallet.address))).to.deep.equal([]);
  });

  it('are distinguished as cancelled or gone in one batch', async () => {
    const [a, b] = [newCloid(), newCloid()];
    await place(exchange, { price: '99000', cloid: a });
    const orders = [a, b].map((cloid) => ({ asset: 1, cloid }));

    const items = itemsOf(await act(exchange, { kind: 'cancel_by_cloid', orders }));

    expect(items.map(({ kind }) => kind)).to.deep.equal(['done', 'rejected']);
  });

  it('are replaced under a new number and their old cloid; an invalid replacement leaves the old one', async () => {
    const cloid = newCloid();
    const [first] = itemsOf(await place(exchange, { price: '99000', cloid }));
    const change = (price: string) => ({ target: cloid, order: order({ price, cloid }) });

    const rejected = await act(exchange, { kind: 'replace', orders: [change('99000.55')] });
    const remaining = foundOf(await exchange.venue.openOrders(exchange.wallet.address));
    const [second] = itemsOf(await act(exchange, { kind: 'replace', orders: [change('98000')] }));
    const shown = foundOf(await exchange.venue.openOrders(exchange.wallet.address));

    expect(rejected).to.include({ kind: 'rejected', slug: 'tick_size' });
    expect(remaining.map(({ limitPrice }) => limitPrice)).to.deep.equal(['99000']);
    expect(second).to.include({ kind: 'resting', cloid }).and.not.to.deep.equal(first);
    expect(shown.map(({ limitPrice }) => limitPrice)).to.deep.equal(['98000']);
  });

  it('are not replaced once they are gone', async () => {
    const orders = [{ target: 5, order: order() }];

    expect(await act(exchange, { kind: 'replace', orders })).to.include({ kind: 'rejected', slug: 'order_gone' });
  });
});
