import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { KEYS, startService, type TestService } from '../support/service.ts';

const LONG = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
/** Everything that the account of a wallet decides on. */
const READS = [
  '/v1/balance',
  '/v1/balance/limits',
  '/v1/rules',
  '/v1/rules/pairs',
  '/v1/payouts',
  '/v1/payouts/pending',
];

/** A new account may be missing at the network for hours. See venues/registrar.md#registration-status. */
describe('a wallet whose account was bought and that the network does not show yet', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function boughtWallet() {
    const trader = await service.wallet();
    await service.db.query(sql.unsafe`
      insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status)
      values (gen_random_uuid(), ${trader.owner}, ${trader.wallet}, 'm', 4000, ${trader.wallet}, 'registered')`);
    return trader;
  }

  it('is unreadable there, not an account of size 0, until the network shows it', async () => {
    const trader = await boughtWallet();

    for (const path of READS) expectProblem(await trader.get(path), 'VENUE_UNREADABLE', { retryable: true });
    const made = await fetch(`${service.miner.minerUrl}/api/create-hl-subaccount`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.minerKey}:registrar`, 'content-type': 'application/json' },
      body: JSON.stringify({ hl_address: trader.wallet, account_size: 4_000 }),
    });
    expect(made.status).to.equal(200);
    await sleep(STALE_MS);

    expect((await trader.get('/v1/balance')).body).to.include({
      funded_account_size: 4_000,
      account_type: 'challenge',
    });
  });

  it('trades and is read at the exchange meanwhile', async () => {
    const trader = await boughtWallet();

    const order = await trader.post('/v1/orders/exvenue', LONG);
    const balance = await trader.get('/v1/balance/ex');

    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    expect(balance.status).to.equal(200);
  });

  it('is one without an account once the network has not shown it for a week', async () => {
    const trader = await boughtWallet();
    await service.db.query(sql.unsafe`
      update registrations set updated_at = now() - interval '8 days' where ex_address = ${trader.wallet}`);

    expect((await trader.get('/v1/balance')).body).to.include({ funded_account_size: 0, asset_class: null });
  });
});
