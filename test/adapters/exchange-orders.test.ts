import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'aB'.repeat(20)}`;
const CLOID = `0x${'0'.repeat(31)}a`;

const open = (): Exvenue => exvenue({ url: VENUE, network: 'mainnet' });
const question = (body: object) => nock(VENUE).post('/info', { user: USER.toLowerCase(), ...body });

const order = {
  coin: 'BTC',
  side: 'A',
  limitPx: '93708.0',
  sz: '0.00047',
  oid: 62_014_444_172,
  timestamp: 1_747_128_626_867,
  triggerCondition: 'Price below 101856',
  isTrigger: true,
  triggerPx: '101856.0',
  children: [],
  isPositionTpsl: false,
  reduceOnly: true,
  orderType: 'Stop Market',
  origSz: '0.00100',
  tif: null,
  cloid: null,
};
const limit = { ...order, orderType: 'Limit', isTrigger: false, triggerPx: '0.0', tif: 'Alo', side: 'B', cloid: CLOID };

const whole = { ...limit, sz: '0.0' };

describe('reading the orders of the exchange', () => {
  alone();

  it('reads open orders with triggers and children, decimals in one notation', async () => {
    question({ type: 'frontendOpenOrders' }).reply(200, [{ ...limit, children: [order] }]);

    const orders = await open().openOrders(USER);

    expect(orders).to.nested.include({
      'data[0].cloid': CLOID,
      'data[0].side': 'buy',
      'data[0].limitPrice': '93708',
      'data[0].originalSize': '0.001',
      'data[0].timeInForce': 'alo',
      'data[0].exit': null,
      'data[0].triggerPrice': null,
      'data[0].children[0].exit': 'sl',
      'data[0].children[0].triggerPrice': '101856',
      'data[0].children[0].timeInForce': null,
      'data[0].children[0].reduceOnly': true,
    });
  });

  for (const [name, sent] of [
    [order.oid, order.oid],
    [CLOID.toUpperCase().replace('0X', '0x'), CLOID],
  ] as const) {
    it(`queries an order by ${typeof name}`, async () => {
      question({ type: 'orderStatus', oid: sent }).reply(200, {
        status: 'order',
        order: { order: limit, status: 'open', statusTimestamp: 7 },
      });

      expect(await open().orderStatus(USER, name)).to.nested.include({ 'data.state': 'open', 'data.statusMs': 7 });
    });
  }

  it('reports an order as unknown, and later as known', async () => {
    const venue = open();
    question({ type: 'orderStatus', oid: CLOID }).reply(200, { status: 'unknownOid' });
    question({ type: 'orderStatus', oid: CLOID }).reply(200, {
      status: 'order',
      order: { order: whole, status: 'filled', statusTimestamp: 7 },
    });

    const responses = [await venue.orderStatus(USER, CLOID), await venue.orderStatus(USER, CLOID)];

    expect(responses[0]).to.deep.equal({ kind: 'absent' });
    expect(responses[1]).to.nested.include({ 'data.state': 'filled' });
  });

  for (const [wireStatus, state, slug] of [
    ['open', 'open', null],
    ['filled', 'filled', null],
    ['triggered', 'triggered', null],
    ['canceled', 'cancelled', null],
    ['marginCanceled', 'cancelled', null],
    ['reduceOnlyCanceled', 'cancelled', null],
    ['siblingFilledCanceled', 'cancelled', null],
    ['somethingNewCanceled', 'cancelled', null],
    ['scheduledCancel', 'cancelled', null],
    ['internalCancel', 'cancelled', null],
    ['rejected', 'rejected', 'rejected_by_venue'],
    ['tickRejected', 'rejected', 'tick_size'],
    ['minTradeNtlRejected', 'rejected', 'below_minimum'],
    ['perpMarginRejected', 'rejected', 'insufficient_margin'],
    ['reduceOnlyRejected', 'rejected', 'reduce_only'],
    ['badAloPxRejected', 'rejected', 'post_only_would_match'],
    ['iocCancelRejected', 'rejected', 'no_match'],
    ['badTriggerPxRejected', 'rejected', 'bad_trigger_price'],
    ['marketOrderNoLiquidityRejected', 'rejected', 'no_liquidity'],
    ['positionIncreaseAtOpenInterestCapRejected', 'rejected', 'open_interest_cap'],
    ['positionFlipAtOpenInterestCapRejected', 'rejected', 'open_interest_cap'],
    ['tooAggressiveAtOpenInterestCapRejected', 'rejected', 'open_interest_cap'],
    ['openInterestIncreaseRejected', 'rejected', 'open_interest_cap'],
    ['insufficientSpotBalanceRejected', 'rejected', 'insufficient_balance'],
    ['oracleRejected', 'rejected', 'price_too_far'],
    ['perpMaxPositionRejected', 'rejected', 'position_limit'],
    ['tooManyOpenOrdersRejected', 'rejected', 'too_many_open_orders'],
    ['somethingNewRejected', 'rejected', 'rejected_by_venue'],
    ['aNewWord', 'unknown', null],
  ] as const) {
    it(`maps the final status “${wireStatus}” to ${slug ?? state}`, async () => {
      question({ type: 'historicalOrders' }).reply(200, [{ order: whole, status: wireStatus, statusTimestamp: 7 }]);

      const history = await open().historicalOrders(USER);

      const [record] = history.kind === 'found' ? history.data : [];
      expect(record).to.include({ word: wireStatus, state });
      expect(record?.rejected?.slug ?? null).to.equal(slug);
    });
  }

  for (const [what, order, state] of [
    ['of which all is left', { ...limit, sz: '0.001' }, 'filled'],
    ['of which a part is left, and which never rests', { ...limit, tif: 'Ioc' }, 'cancelled'],
    ['of which a part is left, placed as at the market', { ...limit, tif: 'FrontendMarket' }, 'cancelled'],
    ['of which a part is left', limit, 'open'],
    ['of which a part is left, and whose time in force is not told', { ...limit, tif: null }, 'unknown'],
  ] as const)
    it(`reads an order with status filled, ${what}, as ${state}`, async () => {
      question({ type: 'historicalOrders' }).reply(200, [{ order, status: 'filled', statusTimestamp: 7 }]);

      expect(await open().historicalOrders(USER)).to.nested.include({
        'data[0].word': 'filled',
        'data[0].state': state,
      });
    });
});
