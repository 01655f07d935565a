import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { countCalls, linkedWallet, move, SHORT_TIMEOUTS, STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const SHARED_MS = 1_000; // a read of a venue is shared for this long
const long = { pair: 'BTC-USDC', side: 'long', size: '0.05', order_type: 'market' };

describe('a wallet on the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: SHORT_TIMEOUTS });
  });
  after(() => service.stop());

  /** A caller that reads a wallet it has not enrolled. */
  const reader = async (wallet = `0x${crypto.randomUUID().replaceAll('-', '')}00000000`) => {
    const partner = await service.partner();
    return { wallet, get: (path: string) => partner.get(path, { headers: { 'Trader-ID': wallet } }) };
  };

  it('getBalance reports the exchange alone when the network does not know the wallet', async () => {
    const { wallet, get } = await reader();

    const { status, body } = await get('/v1/balance');

    expect(status).to.equal(200);
    expect(body).to.deep.include({
      venue: 'exvenue',
      status: 'active',
      funded_account_size: 0,
      ex_wallet_address: wallet,
      subaccount_id: null,
      synthetic_hotkey: null,
      current_drawdown: '0',
      account_balance: '100000',
      ex_balance: '100000',
      current_leverage: '0',
      buying_power: null,
    });
    expect(body.leverage_limits.position_level).to.include({ 'BTC-USDC': 40, 'ETH-USDC': 25 });
  });

  it('getBalance reports the funded account linked to the wallet, and the assets of the wallet', async () => {
    const trader = await linkedWallet(service);

    const { body } = await trader.get('/v1/balance');

    expect(body).to.deep.include({
      venue: 'exvenue',
      funded_account_size: 10_000,
      ex_wallet_address: trader.wallet,
      subaccount_id: Number(trader.traderId),
      asset_class: 'hl_all',
      account_balance: '10000',
      ex_balance: '100000',
      max_portfolio_leverage: '4',
    });
    expect(body.leverage_limits).to.include({ max_position_per_pair_usd: 5_000, pair_limit_ratio: 0.5 });
    expect(body.leverage_limits.position_level).to.include({ 'BTC-USDC': 0.5, 'GOLD-USDC': 0.5 });
    expect(body.leverage_limits.position_level).not.to.have.any.keys('EUR-USD');
  });

  it('getBalance of a linked wallet omits the exchange when that is down, instead of reporting zero', async () => {
    const trader = await linkedWallet(service);
    service.exchange.faults.add({ kind: 'status_500', route: '/info' });

    const { status, body } = await trader.get('/v1/balance');

    service.exchange.faults.clear();
    expect(status).to.equal(200);
    expect(body).to.include({ ex_balance: null, account_balance: '10000' });
  });

  it('getBalance reports an eliminated account as breached', async () => {
    const trader = await linkedWallet(service);
    await move(service, trader.traderId, { elimination: 'LIQUIDATED' });

    expect((await trader.get('/v1/balance')).body).to.include({ status: 'breached' });
  });

  it('getExchangeBalance and getSpotBalance need no enrollment, and accept the wallet in upper and lower case', async () => {
    const { wallet, get } = await reader();
    service.exchange.fund(wallet, '250.5', 'xyz');
    const shouting = await reader(`0x${wallet.slice(2).toUpperCase()}`);

    const [ex, spot] = [await get('/v1/balance/ex'), await shouting.get('/v1/balance/spot')];

    expect(ex.body).to.deep.equal({ balance: '100250.5', meets_minimum: true, minimum_required: '0.01' });
    expect(spot.body).to.deep.equal({ ex_wallet: wallet, asset: 'USDC', free: '0', total: '0', hold: '0' });
  });

  it('listExvenuePositions is empty for an empty account and shows open positions with their exits', async () => {
    const trader = await service.wallet();
    expect((await trader.get('/v1/positions/exvenue')).body).to.deep.equal([]);
    await trader.post(ORDERS, { ...long, take_profit: '130000', stop_loss: '90000' });
    await trader.post(ORDERS, { pair: 'xyz:TSLA-USDC', side: 'short', size: '1', order_type: 'market' });
    await sleep(STALE_MS);

    const { body } = await trader.get('/v1/positions/exvenue');

    expect(body.map(({ symbol, side, size }: Record<string, string>) => ({ symbol, side, size }))).to.deep.include({
      symbol: 'BTC-USDC',
      side: 'long',
      size: '0.05',
    });
    const [btc] = body.filter(({ symbol }: { symbol: string }) => symbol === 'BTC-USDC');
    expect(btc).to.include({ mark_price: '100000', take_profit: '130000', stop_loss: '90000', open_time: null });
    expect(btc).to.include({ position_value: '5000', entry_price: '100000', position_uuid: null });
  });

  it('100 concurrent reads of one wallet send each query to the exchange once', async () => {
    const { get } = await reader();
    const counted = countCalls(service.exchange);

    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => get('/v1/balance/ex')));
    const windows = Math.ceil((performance.now() - startedAt) / SHARED_MS);

    counted.stop();
    expect(counted.calls.length).to.be.at.most(4 * windows); // dexes, one account for each, spot
  });

  it('listPayouts of a wallet that the caller has not registered is unknown', async () => {
    const { get } = await reader();

    expectProblem(await get('/v1/payouts'), 'V1_TRADER_UNKNOWN');
    expectProblem(await get('/v1/payouts/pending'), 'V1_TRADER_UNKNOWN');
  });

  it('listClosedPositions derives round trips from executions', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, long);
    await trader.post(ORDERS, { ...long, size: '0.03' });
    service.exchange.setMid('BTC', '110000');
    await trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    await trader.post(ORDERS, { pair: 'ETH', side: 'short', size: '1', order_type: 'market' });
    service.exchange.setMid('BTC', '100000');

    const { body } = await trader.get('/v1/history/positions');

    expect(body).to.have.length(1);
    expect(body[0]).to.include({ symbol: 'BTC-USDC', side: 'long', size: '0.08', entry_price: '100000' });
    expect(Number(body[0].realized_pnl)).to.be.closeTo(800, 1e-6);
    expect(Date.parse(body[0].close_time)).to.be.at.least(Date.parse(body[0].open_time));
  });

  it('listFilledOrders shows one entry for each order, orders of the service under their ids', async () => {
    const trader = await service.wallet();
    const client_order_id = crypto.randomUUID();
    await trader.post(ORDERS, { ...long, client_order_id, stop_loss: '90000' });

    const { body } = await trader.get('/v1/history/orders');

    expect(body).to.have.length(1);
    expect(body[0]).to.include({
      order_id: client_order_id,
      client_order_id,
      pair: 'BTC-USDC',
      side: 'long',
      size: '0.05',
      filled_size: '0.05',
      status: 'filled',
      order_type: 'market',
      fill_price: '100000',
      stop_loss: '90000',
    });
  });

  it('listFilledOrders shows the whole order where its last execution is, also of one that executions surround', async () => {
    const trader = await service.wallet();
    const half = { pair: 'BTC-USDC', side: 'long', size: '0.0505', order_type: 'limit', price: 100_100 };
    const { body: order } = await trader.post(ORDERS, half);
    await sleep(20);
    const between = new Date().toISOString();
    await sleep(20);
    service.exchange.setMid('BTC', '99000');
    await sleep(STALE_MS);

    const later = await until('the second execution is known', async () => {
      const { body } = await trader.get(`/v1/history/orders?from_date=${between}`);
      return body.length > 0 ? body : null;
    });
    const earlier = await trader.get(`/v1/history/orders?to_date=${between}`);

    expect(order).to.include({ status: 'open' });
    expect(later).to.have.length(1);
    expect(later[0]).to.include({ order_id: order.order_id, status: 'filled', filled_size: '0.0505' });
    expect(earlier.body).to.deep.equal([]);
  });
});
