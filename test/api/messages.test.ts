import { expect } from 'chai';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { startService, type TestService } from '../support/service.ts';

const order = { trade_pair: 'BTCUSD', order_type: 'LONG', value: 100 };
const exchange = { pair: 'BTC', side: 'long', size: '1', order_type: 'market' };

/** Typical mistakes, and what the message must contain: the field, and what to do. Written from the specification. */
const mistakes: [path: string, body: object, message: RegExp][] = [
  ['/v1/orders/netvenue', { ...order, quantity: 1 }, /^Give exactly one of leverage, value, quantity\.$/],
  ['/v1/orders/netvenue', { trade_pair: 'BTCUSD', order_type: 'LONG' }, /exactly one of leverage, value, quantity/],
  ['/v1/orders/netvenue', { ...order, order_type: 'BUY' }, /^order_type must be one of LONG, SHORT, FLAT\.$/],
  [
    '/v1/orders/netvenue',
    { ...order, order_type: 'BUY', execution_type: 'LIMIT', limit_price: 5 },
    /^order_type must be one of LONG, SHORT\.$/,
  ],
  ['/v1/orders/netvenue', { ...order, execution_type: 'FLAT_ALL' }, /^execution_type must be one of MARKET, LIMIT, /],
  ['/v1/orders/netvenue', { ...order, execution_type: 'LIMIT' }, /^limit_price must be given\.$/],
  ['/v1/orders/netvenue', { ...order, stop_price: 5 }, /^Only STOP_LIMIT orders have stop_price and stop_condition\.$/],
  ['/v1/orders/netvenue', { ...order, value: '100' }, /^value must be number\.$/],
  ['/v1/orders/netvenue', { ...order, value: -1 }, /^value must be > 0\.$/],
  ['/v1/orders/netvenue', { ...order, leverag: 1 }, /^leverag is not a member of this request\.$/],
  ['/v1/orders/netvenue', { ...order, trailing_stop: { trailing_percent: 5 } }, /^trailing_stop: .*trailing_percent/],
  ['/v1/orders/netvenue', { order_type: 'LONG', value: 1 }, /^trade_pair must be given\.$/],
  ['/v1/orders/netvenue', { ...order, limit_price: 5 }, /^Only LIMIT and STOP_LIMIT orders have a limit_price\.$/],
  [
    '/v1/orders/netvenue',
    { ...order, stop_loss: 5, bracket_orders: [{ stop_loss: 5 }] },
    /^Give exits as stop_loss, take_profit and trailing_stop, or as bracket_orders, not both\.$/,
  ],
  ['/v1/orders/netvenue/close', {}, /^trade_pair must be given\.$/],
  ['/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC', order_type: 'LONG' }, /^order_type must be FLAT\.$/],
  ['/v1/orders/netvenue/tp-sl', { trade_pair: 'B', stop_loss: 5, order_type: 'LONG' }, /^order_type must be FLAT\.$/],
  ['/v1/orders/netvenue/tp-sl', { trade_pair: 'B', stop_loss: 5, limit_price: 5 }, /^limit_price is not a member/],
  ['/v1/orders/netvenue/tp-sl', { trade_pair: 'BTCUSD' }, /at least one of take_profit, stop_loss, trailing_stop/],
  ['/v1/orders/exvenue', { ...exchange, order_type: 'limit' }, /^price must be given\.$/],
  ['/v1/orders/exvenue', { ...exchange, price: '1' }, /^Only limit orders have a price\b/],
  ['/v1/orders/exvenue', { ...exchange, order_type: undefined }, /^order_type must be given\.$/],
  [
    '/v1/orders/exvenue',
    { ...exchange, order_type: 'LIMIT', price: '1' },
    /^order_type must be one of market, limit\.$/,
  ],
  ['/v1/orders/exvenue', { ...exchange, size: '-1' }, /^size: .*above 0/],
  ['/v1/orders/exvenue', { ...exchange, leverage: 51 }, /^leverage must be <= 50\.$/],
  ['/v1/orders/exvenue', { ...exchange, client_order_id: 'mine' }, /^client_order_id must be a valid uuid\.$/],
  ['/v1/orders/exvenue', { ...exchange, max_slippage: 0.5 }, /^max_slippage must be <= 0\.1\.$/],
  ['/v1/orders/exvenue/tp-sl', { pair: 'BTC' }, /at least one of take_profit, stop_loss/],
  ['/v1/rules/validate', { ...exchange, order_type: undefined }, /^order_type must be given\.$/],
  [
    '/v1/rules/validate',
    { ...exchange, order_type: 'LIMIT', price: '1' },
    /^order_type must be one of market, limit\.$/,
  ],
  ['/v1/rules/validate', { ...exchange, side: 'buy' }, /^side must be one of long, short\.$/],
  ['/v1/register/netvenue', {}, /asset_class must be given\. account_size must be given/],
  [
    '/v1/register/netvenue',
    { ex_address: `0x${'a'.repeat(40)}`, asset_class: 'crypto' },
    /either asset_class .* or ex_address/,
  ],
  ['/v1/register/netvenue', { asset_class: 'crypto', account_size: 1e6 }, /^account_size must be <= 100000\.$/],
  ['/v1/sessions', { ex_wallet: '0x12', private_key: 'x' }, /^ex_wallet must be 0x and 40 hexadecimal characters\./],
];

describe('the message of an invalid request', () => {
  let service: TestService;
  let key: string;
  before(async () => {
    service = await startService({ worker: false });
    ({ key } = await createPartner(service.db, 'Careless partner'));
  });
  after(() => service.stop());

  const post = async (path: string, body: object) => {
    const trader = path.includes('exvenue') ? `0x${'b'.repeat(40)}` : '7';
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Trader-ID': trader },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { error: { code: string; message: string } } };
  };

  for (const [path, json, message] of mistakes) {
    it(`${path} ${JSON.stringify(json)}`, async () => {
      const { status, body } = await post(path, json);

      expect(status).to.equal(422);
      expect(body.error.code).to.equal('INVALID_REQUEST');
      expect(body.error.message).to.match(message);
    });
  }

  it('is also in detail, for a caller who asks for problem documents by name', async () => {
    const ask = async (Accept: string) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Trader-ID': '7', Accept };
      const response = await fetch(`${service.url}/v1/orders/netvenue/close`, { method: 'POST', headers, body: '{}' });
      return (await response.json()) as { detail?: unknown; error: { message: string } };
    };

    const replies = [
      await ask('application/json, application/problem+json'),
      await ask('*/*'),
      await ask('application/json'),
    ];

    expect(replies.map(({ detail }) => detail)).to.deep.equal(['trade_pair must be given.', undefined, undefined]);
    expect(replies.map(({ error }) => error.message)).to.deep.equal(Array(3).fill('trade_pair must be given.'));
  });

  it('takes null for every optional member, and for no required one', async () => {
    const absent = { leverage: null, quantity: null, limit_price: null, stop_loss: null, trailing_stop: null };
    const nested = { trailing_stop: { trailing_percent: null, trailing_value: 5 }, bracket_orders: null };
    const taken = await post('/v1/orders/netvenue', { ...order, ...absent, ...nested, order_uuid: null });
    const required = await post('/v1/orders/netvenue', { ...order, trade_pair: null });

    expect(taken.body.error.code).to.equal('V1_TRADER_UNKNOWN'); // past validation
    expect(required.body.error.message).to.equal('trade_pair must be string.');
  });
});
