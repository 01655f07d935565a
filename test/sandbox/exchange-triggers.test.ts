import { expect } from 'chai';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import {
  act,
  closeExchange,
  control,
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

describe('take-profit and stop-loss on the sandbox exchange', () => {
  let exchange: Exchange;
  let tp: string;
  let sl: string;

  beforeEach(async () => {
    exchange = await openExchange();
    [tp, sl] = [newCloid(), newCloid()];
  });

  afterEach(() => closeExchange(exchange));

  const exit = (kind: 'tp' | 'sl', price: string, size = '0.01'): OrderTerms => {
    const trigger = { price, kind, isMarket: true };
    return order({ side: 'sell', price: '85000', size, reduceOnly: true, trigger, cloid: kind === 'tp' ? tp : sl });
  };
  const exits = () => [exit('tp', '110000'), exit('sl', '90000')];
  const withExits = (parent: OrderTerms): Action => ({
    kind: 'place',
    orders: [parent, ...exits()],
    grouping: 'with_exits',
  });
  const onPosition = (): Action => {
    return { kind: 'place', orders: [exit('tp', '110000', '0'), exit('sl', '90000', '0')], grouping: 'on_position' };
  };
  const stateOf = async (cloid: string) => {
    const { word: status } = foundOf(await exchange.venue.orderStatus(exchange.wallet.address, cloid));
    return status;
  };
  const shown = async () => foundOf(await exchange.venue.openOrders(exchange.wallet.address));

  it('watch their triggers as soon as their order is filled', async () => {
    const items = itemsOf(await act(exchange, withExits(order({ timeInForce: 'ioc' }))));
    const open = await shown();

    expect(items.map(({ kind }) => kind)).to.deep.equal(['filled', 'waiting_for_trigger', 'waiting_for_trigger']);
    expect(open.map(({ exit, triggerPrice, orderType }) => [exit, triggerPrice, orderType])).to.deep.equal([
      ['sl', '90000', 'Stop Market'],
      ['tp', '110000', 'Take Profit Market'],
    ]);
  });

  it('wait for the fill of a resting order, and are shown with it', async () => {
    const items = itemsOf(await act(exchange, withExits(order({ price: '99000' }))));
    const [stop, profit, parent, ...others] = await shown();
    exchange.upstream.setMid('BTC', '89000');
    exchange.upstream.setMid('BTC', '99000');

    expect(items.map(({ kind }) => kind)).to.deep.equal(['resting', 'waiting_for_fill', 'waiting_for_fill']);
    expect(parent?.children.map(({ cloid }) => cloid)).to.deep.equal([tp, sl]);
    expect([stop, profit].map((exit) => [exit?.cloid, exit?.parentOid])).to.deep.equal([
      [sl, parent?.oid],
      [tp, parent?.oid],
    ]);
    expect(others).to.deep.equal([]);
    expect([await stateOf(sl), await stateOf(tp)]).to.deep.equal(['filled', 'siblingFilledCanceled']);
  });

  it('end with the order they wait for', async () => {
    const cloid = newCloid();
    await act(exchange, withExits(order({ price: '99000', cloid })));

    await act(exchange, { kind: 'cancel_by_cloid', orders: [{ asset: 1, cloid }] });

    expect([await stateOf(cloid), await stateOf(tp), await stateOf(sl)]).to.deep.equal(Array(3).fill('canceled'));
  });

  it('close the position when the price reaches one of them, and end the other', async () => {
    await act(exchange, withExits(order({ timeInForce: 'ioc' })));

    exchange.upstream.setMid('BTC', '110500');

    expect(await heldBy(exchange)).to.equal('0');
    expect([await stateOf(tp), await stateOf(sl)]).to.deep.equal(['filled', 'siblingFilledCanceled']);
    expect(effectsOf(exchange, tp)).to.deep.equal(['placed', 'triggered', 'filled']);
    const [fill] = foundOf(await exchange.venue.recentFills(exchange.wallet.address));
    expect(fill).to.include({ cloid: tp, side: 'sell', price: '110500', closedPnl: '105', direction: 'Close Long' });
  });

  it('are rejected with their order, whichever of the three is invalid', async () => {
    const cloid = newCloid();
    const [, stop] = exits();
    const orders = [order({ timeInForce: 'ioc', cloid }), exit('tp', '99000'), stop ?? order()];

    const response = await act(exchange, { kind: 'place', orders, grouping: 'with_exits' });

    expect(response).to.include({ kind: 'rejected', slug: 'bad_trigger_price' });
    expect(await heldBy(exchange)).to.equal('0');
    expect(effectsOf(exchange, cloid)).to.deep.equal([]);
  });

  it('follow the size of the position they are attached to', async () => {
    await place(exchange, { timeInForce: 'ioc' });
    const items = itemsOf(await act(exchange, onPosition()));
    await place(exchange, { timeInForce: 'ioc', size: '0.03' });
    const open = await shown();

    exchange.upstream.setMid('BTC', '89500');

    expect(items.map(({ kind }) => kind)).to.deep.equal(['waiting_for_trigger', 'waiting_for_trigger']);
    expect(open.map(({ followsPosition, size }) => [followsPosition, size])).to.deep.equal([
      [true, '0'],
      [true, '0'],
    ]);
    expect(await heldBy(exchange)).to.equal('0');
    expect([await stateOf(sl), await stateOf(tp)]).to.deep.equal(['filled', 'reduceOnlyCanceled']);
  });

  it('cannot be attached to a missing position', async () => {
    expect(await act(exchange, onPosition())).to.include({ kind: 'rejected', slug: 'reduce_only' });
  });

  it('are removed by a cancel', async () => {
    await place(exchange, { timeInForce: 'ioc' });
    await act(exchange, onPosition());

    await act(exchange, { kind: 'cancel_by_cloid', orders: [tp, sl].map((cloid) => ({ asset: 1, cloid })) });
    exchange.upstream.setMid('BTC', '80000');

    expect(await shown()).to.deep.equal([]);
    expect(await heldBy(exchange)).to.equal('0.01');
  });

  it('find no counterparty below their worst price', async () => {
    await act(exchange, withExits(order({ timeInForce: 'ioc' })));

    exchange.upstream.setMid('BTC', '84000');

    expect(await heldBy(exchange)).to.equal('0.01');
    expect(await stateOf(sl)).to.equal('marketOrderNoLiquidityRejected');
  });

  it('rest at their limit when they are not market orders', async () => {
    await place(exchange, { timeInForce: 'ioc' });
    const trigger = { price: '90000', kind: 'sl', isMarket: false } as const;
    await place(exchange, { side: 'sell', price: '91000', reduceOnly: true, trigger, cloid: sl });

    exchange.upstream.setMid('BTC', '89000');
    const rested = [await stateOf(sl), await heldBy(exchange)];
    exchange.upstream.setMid('BTC', '91000');

    expect(rested).to.deep.equal(['open', '0.01']);
    expect([await stateOf(sl), await heldBy(exchange)]).to.deep.equal(['filled', '0']);
  });

  it('of a short position wait on its other sides', async () => {
    await place(exchange, { timeInForce: 'ioc', side: 'sell' });
    const exitBuy = (kind: 'tp' | 'sl', price: string) =>
      order({
        price: '115000',
        reduceOnly: true,
        trigger: { price, kind, isMarket: true },
        cloid: kind === 'tp' ? tp : sl,
      });
    const orders = [exitBuy('tp', '90000'), exitBuy('sl', '110000')];

    await act(exchange, { kind: 'place', orders, grouping: 'on_position' });
    await control(exchange, 'mid', { coin: 'BTC', px: '110000' });

    expect([await stateOf(sl), await heldBy(exchange)]).to.deep.equal(['filled', '0']);
  });
});
