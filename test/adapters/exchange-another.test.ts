import { expect } from 'chai';
import nock from 'nock';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'1'.repeat(40)}`;
const [CLOID, OTHER] = ['a', 'b'].map((digit) => `0x${digit.repeat(32)}`) as [string, string]; // as: one for each
const venue = () => exvenue({ url: VENUE, network: 'mainnet' });
const info = (type: string, response: object) => {
  const isIt = (body: { type: string }) => body.type === type;
  nock(VENUE).post('/info', isIt).reply(200, response);
};

const order = { oid: 7, coin: 'BTC', side: 'B', limitPx: '1', sz: '1', timestamp: 1, cloid: CLOID };
const state = (coin: string) => ({
  marginSummary: { accountValue: '1', totalNtlPos: '0', totalMarginUsed: '0' },
  withdrawable: '1',
  assetPositions: [{ position: { coin, szi: '1' } }],
  time: 1,
});
const terms = { asset: 1, side: 'buy', price: '1', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;

/** Posts orders with these client ids, to which the exchange responds so. */
async function post(status: number, statuses: unknown[], cloids: string[] = [CLOID]) {
  const { signerOf, post } = venue();
  const orders: OrderTerms[] = cloids.map((cloid) => ({ ...terms, cloid }));
  const body = await signerOf('c'.repeat(64))?.sign({ kind: 'place', orders, grouping: 'none' }, { nonce: 1 });
  nock(VENUE)
    .post('/exchange')
    .reply(status, { status: 'ok', response: { type: 'order', data: { statuses } } });
  return post(String(body), { firstSend: true });
}

describe('what the exchange says of something else', () => {
  alone();

  it('is no record of the order that was asked for', async () => {
    const record = (more: object) => ({
      status: 'order',
      order: { order: { ...order, ...more }, status: 'open', statusTimestamp: 7 },
    });
    for (const [name, more, kind] of [
      [7, {}, 'found'],
      [7, { oid: 8 }, 'unreadable'],
      [CLOID, {}, 'found'],
      [CLOID, { cloid: null }, 'found'],
      [CLOID, { cloid: OTHER }, 'unreadable'],
    ] as const) {
      info('orderStatus', record(more));

      expect(await venue().orderStatus(USER, name), JSON.stringify([name, more])).to.include({ kind });
    }
  });

  it('settles no order that was sent', async () => {
    const resting = (cloid: string, oid = 7) => ({ resting: { oid, cloid } });

    expect(await post(200, [resting(OTHER)])).to.include({ kind: 'unknown' });
    expect(await post(200, [resting(OTHER), resting(CLOID, 8)], [CLOID, OTHER])).to.include({ kind: 'unknown' });
    expect(await post(200, [resting(CLOID), resting(OTHER, 8)], [CLOID, OTHER])).to.include({ kind: 'accepted' });
  });

  for (const [what, status] of [
    ['with an error beside it', { resting: { oid: 7 }, error: 'Insufficient margin to place order.' }],
    ['without a number', { resting: { oid: 0 } }],
    ['with a number below 0', { filled: { totalSz: '1', avgPx: '1', oid: -7 } }],
    ['of which more was filled than was sent', { filled: { totalSz: '1.1', avgPx: '1', oid: 7 } }],
  ] as const)
    it(`settles no order: one ${what}`, async () => {
      expect(await post(200, [status])).to.include({ kind: 'unknown' });
    });

  it('uses up no nonce, and cancels no other orders', async () => {
    const { signerOf, post: send } = venue();
    const signer = signerOf('c'.repeat(64));
    const answered = async (action: Action, response: object) => {
      nock(VENUE).post('/exchange').reply(200, { status: 'ok', response });
      return (await send(String(await signer?.sign(action, { nonce: 1 })), { firstSend: true })).kind;
    };
    const cancel: Action = { kind: 'cancel', orders: [1, 2].map((oid) => ({ asset: 1, oid })) };
    const gone = { error: 'Order was never placed, already canceled, or filled. asset=1' };
    const statuses = (...all: unknown[]) => ({ type: 'cancel', data: { statuses: all } });

    expect(await answered({ kind: 'noop' }, { type: 'default' })).to.equal('accepted');
    expect(await answered({ kind: 'noop' }, { type: 'order', data: { statuses: [] } })).to.equal('unknown');
    expect(await answered(cancel, statuses(gone, gone))).to.equal('rejected');
    expect(await answered(cancel, statuses(gone))).to.equal('unknown');
  });

  it('ends no cancellation by the result of an order, and no order by that of a cancellation', async () => {
    const { signerOf, post: send } = venue();
    const cancel: Action = { kind: 'cancel_by_cloid', orders: [CLOID, OTHER].map((cloid) => ({ asset: 1, cloid })) };
    const body = await signerOf('c'.repeat(64))?.sign(cancel, { nonce: 1 });
    const filled = { totalSz: '1', avgPx: '1', oid: 7 };
    for (const item of ['success', { resting: { oid: 7 } }, { filled }, 'waitingForFill', 'waitingForTrigger']) {
      const response = { type: 'cancel', data: { statuses: ['success', item] } };
      nock(VENUE).post('/exchange').reply(200, { status: 'ok', response });
      const { kind } = await send(String(body), { firstSend: true });

      expect(kind, JSON.stringify(item)).to.equal(item === 'success' ? 'accepted' : 'unknown');
    }
    expect(await post(200, ['success'])).to.include({ kind: 'unknown' });
  });

  for (const status of [422, 429])
    it(`rejects nothing in a form that only a proxy sends: ${status}`, async () => {
      const body = await venue().signerOf('c'.repeat(64))?.sign({ kind: 'noop' }, { nonce: 1 });
      for (const text of ['<html></html>', '{"message":"no healthy upstream"}', '{"mess', '"no"', '[]', '']) {
        nock(VENUE).post('/exchange').reply(status, text);

        expect(await venue().post(String(body), { firstSend: true }), text).to.include({ kind: 'unknown' });
      }
    });

  for (const status of [422, 429])
    it(`is a ${status} beside a yes: the order may be there`, async () => {
      expect(await post(status, [{ resting: { oid: 7 } }])).to.include({ kind: 'unknown' });
    });

  it('is no account, list of orders or list of assets of a dex', async () => {
    info('perpDexs', [null, { name: 'xyz' }]);
    for (const type of ['meta', 'meta']) info(type, { universe: [{ name: 'BTC', szDecimals: 5 }] });
    info('clearinghouseState', state('xyz:TSLA'));
    info('frontendOpenOrders', [{ ...order, coin: 'xyz:TSLA' }]);
    info('frontendOpenOrders', [order]);
    const reads = venue();

    expect(await reads.asset('xyz:TSLA')).to.include({ kind: 'unreadable' });
    expect(await reads.account(USER)).to.include({ kind: 'unreadable' });
    expect(await reads.openOrders(USER)).to.include({ kind: 'unreadable' });
    expect(await reads.openOrderNames(USER, 'xyz')).to.include({ kind: 'unreadable' });
  });
});
