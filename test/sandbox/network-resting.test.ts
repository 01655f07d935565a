import { expect } from 'chai';
import {
  closeNetwork,
  control,
  dashboardOf,
  effects,
  type Network,
  openNetwork,
  openPositions,
  order,
  take,
} from './network.ts';

describe('resting orders at the sandbox network', () => {
  let network: Network;

  const limit = (more = {}) => order({ execution_type: 'LIMIT', limit_price: 90_000, ...more });
  const edit = (order_uuid: string, more = {}) => limit({ execution_type: 'LIMIT_EDIT', order_uuid, ...more });
  const openOrders = async () => (await dashboardOf(network)).openOrders;
  const cancel = (order_uuid: string) => network.venue.submit(order({ execution_type: 'LIMIT_CANCEL', order_uuid }));

  beforeEach(async () => {
    network = await openNetwork();
  });

  afterEach(() => closeNetwork(network));

  it('rest until the price is reached, then fill under the same uuid', async () => {
    const signal = limit();
    await take(network, signal);
    const resting = await openOrders();
    await control(network, 'price', { pair: 'BTCUSDC', price: 89_000 });

    expect(resting).to.have.nested.property('[0].uuid', signal.order_uuid);
    expect(await openOrders()).to.deep.equal([]);
    expect(await openPositions(network)).to.have.nested.property('[0].averageEntryPrice', 89_000);
    expect(effects(network)).to.deep.equal(['limit', 'fill']);
  });

  it('fill at once when the price is already reached', async () => {
    await take(network, limit({ limit_price: 110_000 }));

    expect(effects(network)).to.deep.equal(['limit', 'fill']);
  });

  it('wait for their stop before their limit applies', async () => {
    const stop = {
      execution_type: 'STOP_LIMIT',
      stop_price: 105_000,
      stop_condition: 'GTE',
      limit_price: 106_000,
    } as const;
    await take(network, order(stop));
    const before = effects(network);
    network.upstream.setPrice('BTCUSDC', 105_500);

    expect(before).to.deep.equal(['stop_limit']);
    expect(effects(network)).to.deep.equal(['stop_limit', 'fill']);
  });

  it('are cancelled once: the second time nothing rests', async () => {
    const signal = limit();
    await take(network, signal);

    const first = await cancel(signal.order_uuid);
    const second = await cancel(signal.order_uuid);
    network.upstream.setPrice('BTCUSDC', 80_000);

    expect(first.kind).to.equal('accepted');
    expect(second).to.nested.include({ kind: 'unproven', 'said.slug': 'order_not_found' });
    expect(effects(network)).to.deep.equal(['limit', 'cancel']);
  });

  it('are cancelled as a list or all at once', async () => {
    const signals = [limit(), limit(), limit()];
    for (const signal of signals) await take(network, signal);

    await cancel(`${signals[0]?.order_uuid},${signals[1]?.order_uuid}`);
    const left = await openOrders();
    await cancel('ALL');

    expect(left).to.have.length(1);
    expect(await openOrders()).to.deep.equal([]);
  });

  it('are edited by a whole resubmission', async () => {
    const signal = limit({ take_profit: 120_000 });
    await take(network, signal);
    const { executed } = await take(network, edit(signal.order_uuid, { limit_price: 80_000, leverage: 0.2 }));

    expect(executed).to.include({ leverage: 0.2 });
    expect((await openOrders())[0]).to.include({ limitPrice: 80_000, takeProfit: null });
  });

  it('reject edits of another pair, of filled orders, and partial edits', async () => {
    const signal = limit();
    await take(network, signal);
    const otherPair = await network.venue.submit(edit(signal.order_uuid, { trade_pair: 'ETHUSDC' }));
    const { leverage: _, ...partial } = edit(signal.order_uuid);
    const withoutSize = await network.venue.submit(partial);
    network.upstream.setPrice('BTCUSDC', 80_000);
    const filled = await network.venue.submit(edit(signal.order_uuid));

    expect(otherPair).to.nested.include({ kind: 'unproven', 'said.slug': 'cannot_edit' });
    expect(withoutSize).to.include({ kind: 'rejected', slug: 'size_invalid' });
    expect(filled).to.nested.include({ kind: 'unproven', 'said.slug': 'order_not_found' });
  });

  it('reject exits on the wrong side, and stops without a condition', async () => {
    const wrongSide = await network.venue.submit(limit({ stop_loss: 95_000 }));
    const noCondition = await network.venue.submit(limit({ execution_type: 'STOP_LIMIT', stop_price: 5 }));

    expect([wrongSide, noCondition].map((response) => response.kind === 'rejected' && response.slug)).to.deep.equal([
      'bracket_invalid',
      'bad_request',
    ]);
  });

  it('are listed as unfilled, filled and cancelled', async () => {
    const signals = [limit(), limit({ limit_price: 110_000 }), limit()];
    for (const signal of signals) await take(network, signal);
    await cancel(signals[2]?.order_uuid ?? '');

    const response = await network.venue.orders('5Entity_0');

    const book = response.kind === 'found' ? response.data : { unfilled: [], filled: [], cancelled: [] };
    const groups = [book.unfilled, book.filled, book.cancelled].map((orders) => orders.map(({ uuid }) => uuid));
    expect(groups).to.deep.equal(signals.map(({ order_uuid }) => [order_uuid]));
  });
});

describe('brackets at the sandbox network', () => {
  let network: Network;

  const bracket = (more = {}) => order({ execution_type: 'BRACKET', order_type: 'FLAT', ...more });
  const openOrders = async () => (await dashboardOf(network)).openOrders;

  beforeEach(async () => {
    network = await openNetwork();
  });

  afterEach(() => closeNetwork(network));

  it('require an open position', async () => {
    expect(await network.venue.submit(bracket({ stop_loss: 90_000 }))).to.nested.include({
      kind: 'unproven',
      'said.slug': 'bracket_invalid',
    });
  });

  it('accumulate, and the first one hit removes the rest', async () => {
    await take(network, order());
    await take(network, bracket({ stop_loss: 90_000 }));
    await take(network, bracket({ take_profit: 120_000 }));
    const both = await openOrders();
    network.upstream.setPrice('BTCUSDC', 89_000);

    expect(both).to.have.length(2);
    expect(await openOrders()).to.deep.equal([]);
    expect(await openPositions(network)).to.deep.equal([]);
    expect(effects(network)).to.deep.equal(['market', 'bracket', 'bracket', 'fill']);
  });

  it('are created with an order, and named after it', async () => {
    const entries = [{ stop_loss: 85_000 }, { take_profit: 120_000, leverage: 0.05 }];
    const signal = order({ stop_loss: 90_000, bracket_orders: entries });
    await take(network, signal);

    const created = (await openOrders()).map(({ uuid, stopLoss }) => [uuid, stopLoss]);

    expect(created, 'the entries win over its own exits').to.deep.equal([
      [`${signal.order_uuid}-bracket-0`, 85_000],
      [`${signal.order_uuid}-bracket-1`, null],
    ]);
  });

  it('trail the best price of a short position too', async () => {
    await take(network, order({ order_type: 'SHORT' }));
    await take(network, bracket({ trailing_stop: { trailing_percent: 0.1 } }));
    network.upstream.setPrice('BTCUSDC', 80_000);
    network.upstream.setPrice('BTCUSDC', 87_000);
    const before = await openPositions(network);
    network.upstream.setPrice('BTCUSDC', 88_500);

    expect(before).to.have.length(1);
    expect(await openPositions(network)).to.deep.equal([]);
  });

  it('are edited and cancelled in bulk by named entries', async () => {
    const signal = order({ bracket_orders: [{ stop_loss: 90_000 }, { take_profit: 120_000 }] });
    await take(network, signal);
    const [first, second] = ['0', '1'].map((index) => `${signal.order_uuid}-bracket-${index}`);
    const entries = [{ order_uuid: first ?? '', stop_loss: 95_000 }, { order_uuid: second ?? '' }];
    await take(network, order({ execution_type: 'LIMIT_EDIT', order_uuid: first ?? '', bracket_orders: entries }));

    const left = await openOrders();

    expect(left.map(({ uuid, stopLoss }) => [uuid, stopLoss])).to.deep.equal([[first, 95_000]]);
  });
});
