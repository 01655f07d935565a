import { expect } from 'chai';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { eventually } from '../../support/money.ts';
import { effectsOf, effectsUnder, limit, market, positionsOf, restingOf } from '../../support/orders.ts';
import { expectRejected } from '../../support/rejected.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;

describe('trading a prop account', () => {
  let service: Trading;
  let trader: TestTrader;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await service.propTrader();
  });

  it('submitTradingOrder places an order like v1, and the order can be read', async () => {
    const reply = await trader.ask('POST', ORDERS, { json: market() });
    const status = await trader.ask('GET', `${ORDERS}/${reply.body.order_uuid}`);

    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    expect(reply.body).to.deep.include({ success: true, status: 'accepted' });
    expect(effectsUnder(service, reply.body.order_uuid).map(({ kind }) => kind)).to.deep.equal(['market']);
    expect(status.body).to.deep.include({ status: 'completed', lifecycle: 'filled' });
  });

  it('places an order for a trader key and for the app alone', async () => {
    const key = await trader.key();

    const byKey = await key.ask('POST', ORDERS, { json: market() });
    const byApp = await trader.app('POST', ORDERS, { json: market() });

    expect([byKey.status, byApp.status]).to.deep.equal([200, 200]);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'market']);
  });

  it('takes a uuid in upper case for the same order, in paths and bodies', async () => {
    const order_uuid: string = newIntentId();
    const upper = order_uuid.toUpperCase();
    const position = newIntentId();
    const placed = await trader.ask('POST', ORDERS, { json: limit({ order_uuid: upper }) });
    await trader.ask('POST', ORDERS, { json: market({ order_uuid: position, trade_pair: 'ETHUSDC' }) });

    const replies = [
      placed,
      await trader.ask('POST', ORDERS, { json: limit({ order_uuid }) }),
      await trader.ask('POST', `${ORDERS}/${upper}/edit`, { json: { trade_pair: 'BTCUSDC', limit_price: 91_000 } }),
      await trader.ask('GET', `${ORDERS}/${upper}`),
      await trader.ask('DELETE', `${ORDERS}/${upper}`),
    ];
    const closed = await trader.ask('POST', `${ORDERS}/bulk-close`, {
      json: { position_uuids: [position.toUpperCase(), position] },
    });

    expect(replies.map(({ status, body }) => [status, body.order_uuid])).to.deep.equal(
      replies.map(() => [200, order_uuid]),
    );
    expect(closed.body).to.include({ success: true }).and.to.have.property('results').with.length(1);
    expect(closed.body.results[0]).to.include({ status: 'closed', position_uuid: position.toUpperCase() });
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'market', 'edit', 'cancel', 'flat_all']);
  });

  it('rejects inconsistent orders and reused order uuids, as v1 does', async () => {
    const order_uuid = newIntentId();
    await trader.ask('POST', ORDERS, { json: market({ order_uuid }) });

    expectRejected(await trader.ask('POST', ORDERS, { json: limit({ stop_loss: 95_000 }) }), 'V2_PRICES_INVALID');
    expectRejected(
      await trader.ask('POST', ORDERS, { json: market({ order_uuid, leverage: 0.2 }) }),
      'V2_ORDER_UUID_REUSED',
    );
  });

  it('listTradingOrders shows a page, newest first, and can show resting orders only', async () => {
    const first = await trader.ask('POST', ORDERS, { json: limit() });
    const second = await trader.ask('POST', ORDERS, { json: market() });

    const page = await trader.ask('GET', `${ORDERS}?limit=1`);
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await trader.ask('GET', next);
    const open = await trader.ask('GET', `${ORDERS}?open=true`);

    expect(page.body.map(({ order_uuid }: { order_uuid: string }) => order_uuid)).to.deep.equal([
      second.body.order_uuid,
    ]);
    expect(rest.body.map(({ order_uuid }: { order_uuid: string }) => order_uuid)).to.deep.equal([
      first.body.order_uuid,
    ]);
    expect(open.body).to.have.length(1);
    expect(open.body[0]).to.deep.include({ order_uuid: first.body.order_uuid, lifecycle: 'resting' });
  });

  it('cancelTradingOrder and editTradingOrder change a resting order; the pair may be omitted in a cancel', async () => {
    const placed = await trader.ask('POST', ORDERS, { json: limit() });
    const here = `${ORDERS}/${placed.body.order_uuid}`;

    const edited = await trader.ask('POST', `${here}/edit`, { json: { trade_pair: 'BTCUSDC', limit_price: 91_000 } });
    const [resting] = await restingOf(service, trader);
    const cancelled = await trader.ask('DELETE', here);

    expect(edited.status).to.equal(200);
    expect(resting).to.include({ limitPrice: 91_000 });
    expect(cancelled.status).to.equal(200);
    expect(await restingOf(service, trader)).to.deep.equal([]);
    expectRejected(await trader.ask('DELETE', `${here}?trade_pair=ETHUSDC`), 'V2_TRADE_PAIR_MISMATCH');
    expectRejected(await trader.ask('DELETE', `${ORDERS}/${newIntentId()}`), 'V2_ORDER_UNKNOWN');
  });

  it('setTradingTpSl protects, closeTradingPosition closes', async () => {
    await trader.ask('POST', ORDERS, { json: market() });

    const protectedBy = await trader.ask('POST', `${ORDERS}/tp-sl`, {
      json: { trade_pair: 'BTCUSDC', take_profit: 130_000, stop_loss: 90_000 },
    });
    const [position] = (await trader.ask('GET', `${TRADING}/positions`)).body;
    const closed = await trader.ask('POST', `${ORDERS}/close`, { json: { trade_pair: 'BTCUSDC' } });

    expect(protectedBy.status, JSON.stringify(protectedBy.body)).to.equal(200);
    expect(position).to.include({ take_profit: '130000', stop_loss: '90000' });
    expect(closed.status).to.equal(200);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('responds with 202 after the wait, polled with the same credentials', async () => {
    const key = await trader.key();
    const placed = await key.ask('POST', ORDERS, { json: limit() });

    const cancel = await key.ask('DELETE', `${ORDERS}/${placed.body.order_uuid}`, { headers: { Prefer: 'wait=0' } });
    const place = await key.ask('POST', ORDERS, { json: market(), headers: { Prefer: 'wait=0' } });

    expect([cancel.status, place.status]).to.deep.equal([202, 202]);
    for (const { headers } of [cancel, place]) {
      const settled = await eventually(async () => {
        const { status, body } = await key.ask('GET', headers.get('location') ?? '');
        expect(status).to.equal(200);
        return ['succeeded', 'completed'].includes(body.state ?? body.status) && body;
      });
      expect(settled).to.be.an('object');
    }
  });

  it('closeTradingPositions closes each given position, concurrently, and reports each result', async () => {
    for (const trade_pair of ['BTCUSDC', 'ETHUSDC', 'SOLUSDC'])
      await trader.ask('POST', ORDERS, { json: market({ trade_pair }) });
    const open = (await trader.ask('GET', `${TRADING}/positions`)).body as { position_uuid: string }[];
    const [one, two] = open.map(({ position_uuid }) => position_uuid);
    const request = { json: { position_uuids: [one, two, 'nobody'] }, headers: { 'Idempotency-Key': 'all' } };

    const { status, body } = await trader.ask('POST', `${ORDERS}/bulk-close`, request);
    const again = await trader.ask('POST', `${ORDERS}/bulk-close`, request);

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.results.map((result: { status: string }) => result.status)).to.deep.equal([
      'closed',
      'closed',
      'not_found',
    ]);
    expect(body).to.include({ success: false, order_uuid: null, processing_time: null, message: '2 of 3 closed.' });
    expect(again.body).to.deep.equal(body);
    expect(await positionsOf(service, trader)).to.have.length(1);
    expect(effectsOf(service, trader).filter((kind) => kind === 'flat_all')).to.have.length(2);
  });

  it('shows balance, history, rules and the desk as a whole', async () => {
    await trader.ask('POST', ORDERS, { json: market() });
    await trader.ask('POST', `${ORDERS}/close`, { json: { trade_pair: 'BTCUSDC' } });
    await trader.ask('POST', ORDERS, { json: limit() });
    const read = async (path: string) => (await trader.ask('GET', `${TRADING}/${path}`)).body;

    const [balance, history, rules] = [await read('balance'), await read('history'), await read('rules')];
    const desk = await read('desk-poll');

    expect(balance).to.deep.include({ account_size: 10_000, status: 'evaluation' });
    expect(balance.subaccount_info).to.include({ synthetic_hotkey: trader.account.synthetic_hotkey });
    expect(history).to.have.length(1);
    expect(rules.map(({ rule_id }: { rule_id: string }) => rule_id)).to.include('drawdown.intraday');
    expect(desk).to.deep.include({ positions: [], history });
    expect(desk.orders).to.have.length(1);
    expect(desk.balance).to.include({ status: 'evaluation' });
  });
});
