import { expect } from 'chai';
import { linkedWallet, move } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ELIMINATED = { elimination: 'LIQUIDATED' };

/** From its elimination on the network finds the account by its own name alone. See venues/network-validator.md#eliminations. */
describe('a wallet whose account at the network is eliminated', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' } });
  });
  after(() => service.stop());

  it('is shown with its account and its caps, not as one that the network does not know', async () => {
    const trader = await linkedWallet(service);
    await move(service, trader.traderId, ELIMINATED);

    const [account, limits, rules] = [
      await trader.get('/v1/balance'),
      await trader.get('/v1/balance/limits'),
      await trader.get('/v1/rules'),
    ];

    expect(account.body).to.include({
      status: 'breached',
      funded_account_size: 10_000,
      subaccount_id: Number(trader.traderId),
      account_balance: '10000',
    });
    expect(limits.body).to.include({ account_level: 4 });
    expect(rules.status).to.equal(200);
  });

  it('may be registered again by somebody else: both see their own account, and the first one’s orders stay rejected', async () => {
    const first = await linkedWallet(service);
    await move(service, first.traderId, ELIMINATED);
    const second = await service.partner();
    const link = await second.post('/v1/register/netvenue', { ex_address: first.wallet, account_size: 5_000 });
    expect(link.status, JSON.stringify(link.body)).to.equal(200);

    const ofFirst = await first.get('/v1/balance');
    const ofSecond = await second.get('/v1/balance', { headers: { 'Trader-ID': first.wallet } });
    const order = await first.post('/v1/orders/exvenue', {
      pair: 'BTC',
      side: 'long',
      size: '0.01',
      order_type: 'market',
    });

    expect(ofFirst.body).to.include({ status: 'breached', funded_account_size: 10_000 });
    expect(ofSecond.body).to.include({ status: 'active', funded_account_size: 5_000 });
    expectProblem(order, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
  });

  it('is not told to have an account already where a new registration had no effect: it may be sent again', async () => {
    const trader = await linkedWallet(service);
    await move(service, trader.traderId, ELIMINATED);
    const again = () => trader.post('/v1/register/netvenue', { ex_address: trader.wallet, account_size: 5_000 });
    service.miner.faults.add({ kind: 'reset', route: '/miner/api/create-', times: 1 });

    const lost = await again();
    const made = await again();

    expectProblem(lost, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
  });
});
