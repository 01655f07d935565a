import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { control, limit, market } from '../support/orders.ts';
import { countCalls, move, STALE_MS } from '../support/portfolio.ts';
import { startService, type TestService } from '../support/service.ts';

const SETTLES_WITHIN_MS = 36 * 3_600_000;
const WEEK_MS = 7 * 86_400_000;
/** Monday 00:00 UTC of the week of a timestamp; 1970 began on a Thursday. */
const mondayBefore = (ms: number) => Math.floor((ms - 4 * 86_400_000) / WEEK_MS) * WEEK_MS + 4 * 86_400_000;

/** A week of settlements, `n` weeks before the one that has not ended. */
const week = (n: number, payout: number) => {
  const end_ms = mondayBefore(Date.now()) - (n - 1) * WEEK_MS;
  return { start_ms: end_ms - WEEK_MS, end_ms, payout };
};

describe('a subaccount of the network', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('getBalance shows a new account', async () => {
    const trader = await service.trader();

    const { status, body } = await trader.get('/v1/balance');

    expect(status).to.equal(200);
    expect(body).to.deep.include({
      venue: 'netvenue',
      status: 'active',
      account_type: 'challenge',
      funded_account_size: 10_000,
      ex_wallet_address: null,
      asset_class: 'crypto',
      subaccount_id: Number(trader.traderId),
      current_drawdown: '0',
      max_drawdown_limit: '5',
      eod_drawdown_limit: '5',
      total_realized_pnl: '0',
      current_equity_ratio: '1',
      account_balance: '10000',
      current_leverage: '0',
      max_portfolio_leverage: '1.5',
      ex_balance: null,
      kyc_status: 'not_started',
    });
    expect(Date.now() - Date.parse(body.as_of)).to.be.within(-1_000, 5_000);
  });

  it('getBalance shows the effect of a position, drawdowns in percent', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market({ trade_pair: 'SOLUSDC', leverage: 1 }));
    await control(service, 'price', { pair: 'SOLUSDC', price: 195 });

    const { body } = await trader.get('/v1/balance');
    await control(service, 'price', { pair: 'SOLUSDC', price: 200 });

    expect(body).to.include({ current_drawdown: '2.5', current_equity_ratio: '0.975', account_balance: '10000' });
    expect(Number(body.current_leverage)).to.be.closeTo(0.975, 1e-6);
  });

  for (const [to, status, account_type] of [
    [{ status: 'pending' }, 'suspended', 'challenge'],
    [{ status: 'failed' }, 'suspended', 'challenge'],
    [{ status: 'admin' }, 'active', 'challenge'],
    [{ elimination: 'MAX_TOTAL_DRAWDOWN' }, 'breached', 'challenge'],
    [{ bucket: 'SUBACCOUNT_FUNDED' }, 'active', 'funded'],
    [{ bucket: 'PRO_FUNDED' }, 'active', 'funded'],
    [{ bucket: 'SUBACCOUNT_ALPHA' }, 'active', 'funded'],
  ] as const) {
    it(`getBalance returns ${status} and ${account_type} for ${JSON.stringify(to)}`, async () => {
      const trader = await service.trader();
      await move(service, trader.traderId, to);

      expect((await trader.get('/v1/balance')).body).to.include({ status, account_type });
    });
  }

  it('getBalance shows the limits of a funded account', async () => {
    const trader = await service.trader();
    await move(service, trader.traderId, { bucket: 'SUBACCOUNT_FUNDED', closes: { last: 0.95, highest: 1 } });

    const { body } = await trader.get('/v1/balance');

    expect(body).to.include({ eod_drawdown: '5', eod_drawdown_limit: '8', max_drawdown_limit: '5' });
  });

  it('getLeverageLimits shows the caps in USD and as multiples', async () => {
    const trader = await service.trader();

    const { status, body } = await trader.get('/v1/balance/limits');

    expect(status).to.equal(200);
    expect(body).to.deep.include({
      account_level: 1.5,
      max_portfolio_usd: 15_000,
      max_position_per_pair_usd: 15_000,
      pair_limit_ratio: 1.5,
      portfolio_limit_ratio: 1.5,
      max_asset_class_usd: { crypto: 15_000 },
      tier: 1,
    });
    expect(body.position_level).to.include({ 'BTC-USDC': 1.5, 'ADA-USDC': 0.5, 'kPEPE-USDC': 0.5 });
    expect(body.position_level).not.to.have.any.keys('EUR-USD', 'PAXG-USDC');
  });

  it('listNetvenuePositions is empty when nothing was ever traded', async () => {
    const trader = await service.trader();

    const reply = await trader.get('/v1/positions/netvenue');

    expect(reply).to.deep.include({ status: 200, body: [] });
  });

  it('listNetvenuePositions shows open positions with their exits, and never closed ones', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market({ trade_pair: 'ETHUSDC', quantity: 1, order_type: 'SHORT' }));
    await trader.post('/v1/orders/netvenue/tp-sl', { trade_pair: 'ETHUSDC', take_profit: 3_000, stop_loss: 5_000 });
    await trader.post('/v1/orders/netvenue', market({ trade_pair: 'ADAUSDC', quantity: 100 }));
    await trader.post('/v1/orders/netvenue/close', { trade_pair: 'ADAUSDC' });
    await sleep(STALE_MS);

    const { body } = await trader.get('/v1/positions/netvenue');

    expect(body).to.have.length(1);
    expect(body[0]).to.include({
      symbol: 'ETH-USDC',
      trade_pair: 'ETHUSDC',
      side: 'short',
      size: '1',
      position_value: '4000',
      entry_price: '4000',
      mark_price: '4000',
      unrealized_pnl: '0',
      take_profit: '3000',
      stop_loss: '5000',
      net_leverage: '-0.4',
    });
    expect(Date.parse(body[0].open_time)).to.be.a('number');
  });

  it('listPayouts is empty and getPendingPayout 204 for an account that is not funded', async () => {
    const trader = await service.trader();

    expect(await trader.get('/v1/payouts')).to.deep.include({ status: 200, body: [] });
    expect(await trader.get('/v1/payouts/pending')).to.deep.include({ status: 204, body: undefined });
  });

  it('listPayouts shows settled weeks with earnings, newest first; getPendingPayout shows the current week', async () => {
    const trader = await service.trader();
    const monday = mondayBefore(Date.now());
    await move(service, trader.traderId, {
      bucket: 'SUBACCOUNT_FUNDED',
      settlements: [week(3, 125.5), week(2, 0), week(1, 50), week(0, 7.25)],
    });

    const [all, pending] = [await trader.get('/v1/payouts'), await trader.get('/v1/payouts/pending')];

    expect(all.body.map(({ amount }: { amount: string }) => amount)).to.deep.equal(['50', '125.5']);
    expect(all.body[0]).to.deep.include({
      status: Date.now() - monday < SETTLES_WITHIN_MS ? 'pending' : 'completed',
      token: 'USDC',
      tx_hash: null,
      date: new Date(monday).toISOString(),
      period_start: new Date(monday - WEEK_MS).toISOString(),
      period_end: new Date(monday).toISOString(),
    });
    expect(pending.status).to.equal(200);
    expect(pending.body).to.include({
      amount: '7.25',
      status: 'pending',
      period_start: new Date(monday).toISOString(),
    });
  });

  it('listPayouts shows what an account earned before it was eliminated; the week of its end pays nothing', async () => {
    const trader = await service.trader();
    const settlements = [week(2, 125.5), week(1, 50), week(0, 7.25)];
    await move(service, trader.traderId, { bucket: 'SUBACCOUNT_FUNDED', settlements });
    await move(service, trader.traderId, { elimination: 'FAILED_FUNDED_PERIOD_EOD_DRAWDOWN' });

    const [all, pending] = [await trader.get('/v1/payouts'), await trader.get('/v1/payouts/pending')];

    expect(all.body.map(({ amount }: { amount: string }) => amount)).to.deep.equal(['50', '125.5']);
    expect(pending).to.deep.include({ status: 204, body: undefined });
  });

  it('listPayouts is empty of an account that was eliminated in its challenge', async () => {
    const trader = await service.trader();
    await move(service, trader.traderId, { elimination: 'FAILED_CHALLENGE_PERIOD_DRAWDOWN' });

    expect(await trader.get('/v1/payouts')).to.deep.include({ status: 200, body: [] });
    expect(await trader.get('/v1/payouts/pending')).to.deep.include({ status: 204, body: undefined });
  });

  it('100 reads of one balance at a time cause at most 2 calls a second', async () => {
    const trader = await service.trader();
    const counted = countCalls(service.miner);
    const until = Date.now() + 3_000;

    let completed = 0;
    while (Date.now() < until) {
      const replies = await Promise.all(Array.from({ length: 100 }, () => trader.get('/v1/balance')));
      completed += replies.filter(({ status }) => status === 200).length;
    }

    counted.stop();
    expect(completed).to.be.above(100);
    expect(counted.calls.length).to.be.at.most(2 * 3 + 2);
    console.log(`        ${completed} balances read in 3 s from ${counted.calls.length} calls of the network`);
  });

  it('reads of traders with resting orders show nothing as filled', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', limit());

    expect((await trader.get('/v1/history/orders')).body).to.deep.equal([]);
    expect((await trader.get('/v1/history/positions')).body).to.deep.equal([]);
    expect((await trader.get('/v1/positions/netvenue')).body).to.deep.equal([]);
  });
});
