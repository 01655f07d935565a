import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { alone } from '../support/alone.ts';

const UUID = '0190a1b2-0000-7000-8000-000000000001';
const venue = netvenue({
  minerUrl: 'http://miner.test',
  minerKey: 'miner-key',
  validatorUrl: 'http://validator.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
});
const archive = (status: number, body: nock.Body) =>
  nock('http://miner.test').get(`/api/order-status/${UUID}`).reply(status, body);
const record = (status: string, details: object) => archive(200, { order_uuid: UUID, status, details });

/** Every text by which a build says that the parent was filled and its exits were not placed. */
const EXITS_FAILED = [
  'Market order filled successfully, but bracket order creation failed: Error creating bracket order: x',
  'Invalid LONG bracket order [0190a1b2-0000-7000-8000-000000000001-bracket-0]: stop_loss (5) must be < reference_price (4)',
  'Could not fill limit order [x]: Invalid SHORT bracket order [y]: take_profit (5) must be < reference_price (4). Cancelling order',
  'Limit order [x] filled successfully, but bracket order creation failed: no fill price',
  'Error creating bracket order: x',
];

describe('reconciling an order in the miner’s archive', () => {
  alone();

  it('is absent for a uuid that the archive does not hold', async () => {
    archive(404, { order_uuid: UUID, status: 'not_found', message: 'Order not found' });

    expect(await venue.orderStatus(UUID)).to.deep.equal({ kind: 'absent' });
  });

  it('says which command a completed record is about, because a cancel overwrites the order', async () => {
    record('completed', { signal_data: { execution_type: 'limit_cancel' }, order_json: '{"quantity": 2}' });

    const response = await venue.orderStatus(UUID);

    expect(response).to.nested.include({
      kind: 'found',
      'data.status': 'completed',
      'data.executionType': 'LIMIT_CANCEL',
    });
    expect(response).to.nested.include({ 'data.accepted.executed.quantity': 2 });
  });

  it('reads the reason of a failed record, which speaks for the miner’s last attempt only', async () => {
    record('failed', { original_signal: { execution_type: 'MARKET' }, error_message: 'no live prices' });

    const response = await venue.orderStatus(UUID);

    expect(response).to.nested.include({
      'data.status': 'failed',
      'data.said.slug': 'no_live_prices',
      'data.accepted': null,
    });
  });

  for (const reason of ['Failed to connect to Vanta Network', 'Duplicate order UUID', 'Validator is restarting', '']) {
    it(`does not accept a failed record as proof: “${reason}”`, async () => {
      record('failed', { original_signal: {}, error_message: reason });

      expect(await venue.orderStatus(UUID)).to.nested.include({
        'data.status': 'failed',
        'data.said': null,
        'data.accepted': null,
      });
    });
  }

  for (const reason of EXITS_FAILED) {
    it(`neither believes nor dismisses a failed record about exits: “${reason}”`, async () => {
      record('failed', { original_signal: { execution_type: 'MARKET' }, error_message: reason });

      expect(await venue.orderStatus(UUID)).to.nested.include({
        'data.accepted': null,
        'data.said.slug': 'bracket_invalid',
      });
    });
  }

  it('is unreadable for anything else', async () => {
    record('melted', {});
    archive(404, 'not found');
    archive(200, { order_uuid: UUID.replace('1', '2'), status: 'completed', details: {} });
    archive(200, '{"status": "comp');

    const kinds: string[] = [];
    while (!nock.isDone()) kinds.push((await venue.orderStatus(UUID)).kind);

    expect(kinds).to.deep.equal(Array(4).fill('unreadable'));
  });
});

describe('listing orders and pairs of the network', () => {
  alone();

  it('groups orders by their outcome', async () => {
    const order = { order_uuid: UUID, trade_pair_id: 'BTCUSDC', order_type: 'LONG', price: 0, limit_price: 5 };
    nock('http://validator.test')
      .get('/orders/5Entity_3?status=unfilled,filled,cancelled')
      .reply(200, { unfilled: [order], filled: [], cancelled: [] });

    const response = await venue.orders('5Entity_3');

    expect(response).to.nested.include({
      kind: 'found',
      'data.unfilled[0].uuid': UUID,
      'data.unfilled[0].limitPrice': 5,
    });
  });

  it('is absent when the validator has no orders, and unreadable when it lists none', async () => {
    nock('http://validator.test')
      .get(/orders/)
      .reply(404, { error: 'No orders found' });
    nock('http://validator.test')
      .get(/orders/)
      .reply(200, {});

    expect(await venue.orders('5Entity_3')).to.deep.equal({ kind: 'absent' });
    expect(await venue.orders('5Entity_3')).to.include({ kind: 'unreadable' });
  });

  for (const [what, body] of [
    ['without a group', { unfilled: [], cancelled: [] }],
    ['with a group that is no list', { unfilled: [], filled: null, cancelled: [] }],
    ['with an order that has no uuid', { unfilled: [], filled: [{ trade_pair_id: 'BTCUSDC' }], cancelled: [] }],
  ] as const) {
    it(`is unreadable ${what}: nothing is proven to be missing`, async () => {
      nock('http://validator.test')
        .get(/orders/)
        .reply(200, body);

      expect(await venue.orders('5Entity_3')).to.include({ kind: 'unreadable' });
    });
  }

  it('reads the registry of pairs in its current format', async () => {
    const pair = {
      trade_pair_id: 'BTCUSDC',
      trade_pair: 'BTC/USDC',
      trade_pair_category: 'crypto',
      max_leverage: 1.5,
      hl_coin: 'BTC',
    };
    nock('http://validator.test')
      .get('/trade-pairs')
      .reply(200, {
        allowed: [pair],
        deprecated: [{ ...pair, trade_pair_id: 'BTCUSD' }],
        disabled: [{ trade_pair_id: 'PAXGUSDC' }],
      });

    const response = await venue.tradePairs();

    const pairs = response.kind === 'found' ? response.data : [];
    expect(pairs.map(({ tradePair, state }) => [tradePair, state])).to.deep.equal([
      ['BTCUSDC', 'allowed'],
      ['BTCUSD', 'reduce_only'],
      ['PAXGUSDC', 'disabled'],
    ]);
    expect(pairs[0]).to.include({ display: 'BTC/USDC', category: 'crypto', maxLeverage: 1.5, exCoin: 'BTC' });
  });

  it('reads the registry of pairs in its older format', async () => {
    nock('http://validator.test')
      .get('/trade-pairs')
      .reply(200, { allowed_trade_pairs: [{ trade_pair_id: 'EURUSD' }], total_trade_pairs: 1 });

    expect(await venue.tradePairs()).to.nested.include({ 'data[0].tradePair': 'EURUSD', 'data[0].state': 'allowed' });
  });

  for (const registry of [
    {},
    { allowed: [], disabled: [] },
    { allowed: ['BTCUSDC'] },
    { allowed: [{ id: 'BTCUSDC' }], disabled: [] },
  ])
    it(`never reads a registry of another form as an empty one: ${JSON.stringify(registry)}`, async () => {
      nock('http://validator.test').get('/trade-pairs').reply(200, registry);

      expect(await venue.tradePairs()).to.include({ kind: 'unreadable' });
    });
});
