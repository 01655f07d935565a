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

describe('market orders at the sandbox network', () => {
  let network: Network;

  beforeEach(async () => {
    network = await openNetwork();
  });

  afterEach(() => closeNetwork(network));

  it('open a position under the uuid of the order and record the effect once', async () => {
    const signal = order({ leverage: 0.1 });

    const { executed } = await take(network, signal);

    expect(executed).to.deep.equal({ order_type: 'LONG', leverage: 0.1, value: 1000, quantity: 0.01, price: 100_000 });
    expect(await openPositions(network)).to.have.nested.property('[0].uuid', signal.order_uuid);
    expect(network.upstream.ledger.entries(1)).to.have.length(1);
    expect(network.upstream.ledger.entries(1)[0]).to.deep.include({
      seq: 2,
      upstream: 'netvenue',
      key: signal.order_uuid,
      kind: 'market',
      subaccount_id: 0,
      pair: 'BTCUSDC',
    });
  });

  it('increase and average a position', async () => {
    await take(network, order({ value: 1000 }));
    network.upstream.setPrice('BTCUSDC', 50_000);
    await take(network, order({ value: 500 }));

    const [position] = await openPositions(network);

    expect(position).to.include({ averageEntryPrice: 75_000, side: 'LONG' });
    expect(position?.filledOrders).to.have.length(2);
  });

  it('reduce with an opposite order and never reverse the position', async () => {
    await take(network, order({ value: 1000 }));
    await take(network, order({ value: 400, order_type: 'SHORT' }));
    const [reduced] = await openPositions(network);
    const { executed } = await take(network, order({ value: 5000, order_type: 'SHORT' }));

    expect(reduced?.netLeverage).to.be.closeTo(0.06, 1e-9);
    expect(executed?.value).to.be.closeTo(-600, 1e-6);
    expect(await openPositions(network)).to.deep.equal([]);
  });

  it('close with FLAT, and succeed without any effect when nothing is open', async () => {
    await take(network, order());
    await take(network, order({ order_type: 'FLAT' }));
    const nothing = await take(network, order({ order_type: 'FLAT' }));

    expect(nothing.executed).to.equal(null);
    expect(effects(network)).to.deep.equal(['market', 'market']);
  });

  it('become smaller without notice over the cap of their pair, and are then rejected', async () => {
    const capped = await take(network, order({ leverage: 9 }));
    const full = await network.venue.submit(order());

    expect(capped.executed?.leverage).to.be.closeTo(1.5, 1e-9);
    expect(capped.note).to.contain('smaller');
    expect(full).to.include({ kind: 'rejected', slug: 'no_buying_power' });
  });

  it('add profit to the balance', async () => {
    await take(network, order({ value: 1000 }));
    network.upstream.setPrice('BTCUSDC', 110_000);
    await take(network, order({ order_type: 'FLAT' }));

    const { positions } = await dashboardOf(network);

    expect(positions[0]?.realizedPnl).to.be.closeTo(100, 1e-6);
    expect(positions[0]).to.include({ side: 'FLAT' }).and.not.include({ closeMs: null });
  });

  for (const [what, overrides, slug] of [
    ['a pair of another class', { trade_pair: 'EURUSD' }, 'pair_not_allowed'],
    ['a disabled pair', { trade_pair: 'PAXGUSDC' }, 'pair_not_allowed'],
    ['a pair that can only be reduced', { trade_pair: 'BTCUSD' }, 'pair_not_allowed'],
    ['an unknown pair', { trade_pair: 'BTC/USDC' }, 'pair_not_allowed'],
    ['an order below the minimum', { value: 5 }, 'below_minimum'],
    ['an unknown subaccount', { subaccount_id: 99 }, 'subaccount_unknown'],
    ['two sizes', { value: 50, quantity: 1 }, 'size_invalid'],
  ] as const) {
    it(`with ${what} are rejected and do nothing`, async () => {
      expect(await network.venue.submit(order(overrides))).to.include({ kind: 'rejected', slug });
      expect(effects(network)).to.deep.equal([]);
    });
  }

  it('are rejected while the market is closed', async () => {
    await control(network, 'price', { pair: 'BTCUSDC', open: false });

    expect(await network.venue.submit(order())).to.include({ kind: 'rejected', slug: 'market_closed' });
  });

  it('fill although their brackets are invalid, and report that', async () => {
    const response = await network.venue.submit(order({ stop_loss: 120_000 }));

    expect(response).to.nested.include({ kind: 'unproven', 'said.slug': 'bracket_invalid' });
    expect(effects(network)).to.deep.equal(['market']);
  });

  it('close named positions with FLAT_ALL, skip unknown ones, and close all on ALL', async () => {
    const first = order();
    await take(network, first);
    await take(network, order({ trade_pair: 'ETHUSDC' }));
    const flatAll = { execution_type: 'FLAT_ALL' } as const;

    await take(network, order({ ...flatAll, order_uuid: crypto.randomUUID() }));
    await take(network, order({ ...flatAll, order_uuid: first.order_uuid }));
    const left = await openPositions(network);
    await take(network, order({ ...flatAll, order_uuid: 'ALL' }));

    expect(left.map(({ tradePair }) => tradePair)).to.deep.equal(['ETHUSDC']);
    expect(await openPositions(network)).to.deep.equal([]);
    expect(network.upstream.ledger.entries().map(({ key }) => key)).to.include(`${first.order_uuid}-flat-all`);
  });
});

describe('the pause between two market orders', () => {
  it('is given in seconds, applies to one pair of one subaccount, and ends', async () => {
    const network = await openNetwork({ cooldownMs: 500 });
    await take(network, order());

    const tooSoon = await network.venue.submit(order());
    const otherPair = await network.venue.submit(order({ trade_pair: 'ETHUSDC' }));
    await new Promise((resolve) => setTimeout(resolve, 520));
    const later = await network.venue.submit(order());
    await closeNetwork(network);

    expect(tooSoon).to.include({ kind: 'rejected', slug: 'cooldown', retryAfterS: 1 });
    expect([otherPair.kind, later.kind]).to.deep.equal(['accepted', 'accepted']);
  });
});
