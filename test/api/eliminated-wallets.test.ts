import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { linkedWallet, move, STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { KEYS, startService, type TestService } from '../support/service.ts';

const ELIMINATED = { elimination: 'LIQUIDATED' };
const LONG = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

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
    const order = await first.post('/v1/orders/exvenue', LONG);

    expect(ofFirst.body).to.include({ status: 'breached', funded_account_size: 10_000 });
    expect(ofSecond.body).to.include({ status: 'active', funded_account_size: 5_000 });
    expectProblem(order, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
  });

  it('is not reported as registered after a new registration without effect, which may be sent again', async () => {
    const trader = await linkedWallet(service);
    await move(service, trader.traderId, ELIMINATED);
    const again = () => trader.post('/v1/register/netvenue', { ex_address: trader.wallet, account_size: 5_000 });
    service.miner.faults.add({ kind: 'reset', route: '/miner/api/create-', times: 1 });

    const lost = await again();
    const made = await again();

    expectProblem(lost, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
  });

  it('is also shown with an account that the registrar created, once that was seen active, until a newer one exists', async () => {
    const trader = await boughtWallet(4_000);
    expect((await trader.get('/v1/balance')).body).to.include({ status: 'active', funded_account_size: 4_000 });

    await move(service, trader.created, { entity: 'registrar', ...ELIMINATED });
    await sleep(STALE_MS);
    const [ended, caps] = [await trader.get('/v1/balance'), await trader.get('/v1/balance/limits')];
    const checked = await trader.post('/v1/rules/validate', { venue: 'exvenue', ...LONG });
    await createAt(trader.wallet, 6_000);
    await sleep(STALE_MS);
    const renewed = await trader.get('/v1/balance');

    expect(ended.body).to.include({ status: 'breached', funded_account_size: 4_000 });
    expect(caps.body).to.include({ account_level: 4 });
    expect(JSON.stringify(checked.body.violations)).to.include('account.status');
    expect(renewed.body).to.include({ status: 'active', funded_account_size: 6_000 });
  });

  it('whose account the registrar had created is shown with it although nobody had read it before its end', async () => {
    const trader = await boughtWallet(4_000);
    await service.runTask('accounts/sweep');

    await move(service, trader.created, { entity: 'registrar', ...ELIMINATED });
    const ended = await trader.get('/v1/balance');

    expect(ended.body).to.include({ status: 'breached', funded_account_size: 4_000 });
  });

  it('is shown with the account that its owner has bought for it since, whose orders are accepted', async () => {
    const trader = await linkedWallet(service);
    await move(service, trader.traderId, ELIMINATED);
    const created = await buy(trader, 6_000);

    const account = await trader.get('/v1/balance');
    const order = await trader.post('/v1/orders/exvenue', LONG);
    await move(service, created, { entity: 'registrar', ...ELIMINATED });
    await sleep(STALE_MS);
    const ended = await trader.get('/v1/balance');

    expect(account.body).to.include({ status: 'active', funded_account_size: 6_000 });
    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    expect(ended.body).to.include({ status: 'breached', funded_account_size: 6_000 });
  });

  it('that somebody else has bought an account for since shows each buyer their own, whoever reads first', async () => {
    const first = await boughtWallet(4_000);
    await first.get('/v1/balance');
    await move(service, first.created, { entity: 'registrar', ...ELIMINATED });
    const second = await service.partner();
    await buy({ ...second, wallet: first.wallet }, 6_000);
    await sleep(STALE_MS);

    const ofFirst = await first.get('/v1/balance');
    const order = await first.post('/v1/orders/exvenue', LONG);
    const ofSecond = await second.get('/v1/balance', { headers: { 'Trader-ID': first.wallet } });
    const again = await first.get('/v1/balance');

    expect(ofFirst.body).to.include({ status: 'breached', funded_account_size: 4_000 });
    expectProblem(order, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
    expect(ofSecond.body).to.include({ status: 'active', funded_account_size: 6_000 });
    expect(again.body).to.include({ status: 'breached', funded_account_size: 4_000 });
  });

  it('is shown beside somebody who holds its registration: the account that is seen is recorded at another reading', async () => {
    const trader = await boughtWallet(4_000);
    const holder = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from registrations where ex_address = $1 for update', [trader.wallet]);
    const startedAt = performance.now();

    const { status, body } = await trader.get('/v1/balance');
    const tookMs = performance.now() - startedAt;
    await holder.query('rollback');
    await holder.end();

    expect([status, body.funded_account_size]).to.deep.equal([200, 4_000]);
    expect(tookMs).to.be.below(2_000);
  });

  it('shows the account of somebody else’s purchase to nobody but them, also where it was seen before that was recorded', async () => {
    const first = await boughtWallet(4_000);
    await move(service, first.created, { entity: 'registrar', ...ELIMINATED });
    const second = await service.partner();
    const asSecond = { headers: { 'Trader-ID': first.wallet } };
    await buy({ ...second, wallet: first.wallet }, 6_000, 'processing');
    await sleep(STALE_MS);

    await first.get('/v1/balance');
    await service.db.query(sql.unsafe`update registrations set status = 'registered' where owner = ${second.owner}`);
    const ofSecond = await second.get('/v1/balance', asSecond);
    const ofFirst = await first.get('/v1/balance');

    expect(ofSecond.body).to.include({ status: 'active', funded_account_size: 6_000 });
    expect(ofFirst.body).to.include({ funded_account_size: 0, synthetic_hotkey: null });
  });

  it('keeps its account where the registrar has told that it is deregistered, and it was not bought again', async () => {
    const trader = await boughtWallet(4_000);
    await trader.get('/v1/balance');
    await move(service, trader.created, { entity: 'registrar', ...ELIMINATED });
    await service.db.query(
      sql.unsafe`update registrations set status = 'deregistered' where ex_address = ${trader.wallet}`,
    );
    await sleep(STALE_MS);

    const account = await trader.get('/v1/balance');
    const order = await trader.post('/v1/orders/exvenue', LONG);

    expect(account.body).to.include({ status: 'breached', funded_account_size: 4_000 });
    expectProblem(order, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
  });

  it('is not shown with another owner’s account to the buyer of a new one', async () => {
    const buyer = await boughtWallet(4_000);
    await buyer.get('/v1/balance');
    await service.partner();
    await service.db.query(sql.unsafe`
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, ex_address, status)
      select r.synthetic_hotkey, 'registrar', ${Number(buyer.created)}, p.id, gen_random_uuid(), 'hl_all', 4000, r.ex_address, 'active'
      from registrations r
      join partners p on p.id <> r.owner
      where r.ex_address = ${buyer.wallet}
      limit 1`);

    await move(service, buyer.created, { entity: 'registrar', ...ELIMINATED });
    await sleep(STALE_MS);
    const shown = await buyer.get('/v1/balance');

    expect(shown.body).to.include({ status: 'active', funded_account_size: 0, synthetic_hotkey: null });
  });

  /** A wallet of a partner that has bought its account of a miner elsewhere, which the registrar had create it. */
  async function boughtWallet(size: number) {
    const trader = await service.wallet();
    return { ...trader, created: await buy(trader, size) };
  }

  async function buy({ owner, wallet }: { owner: string; wallet: string }, size: number, status = 'registered') {
    await service.db.query(sql.unsafe`
      insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status)
      values (gen_random_uuid(), ${owner}, ${wallet}, 'm', ${size}, ${wallet}, ${status})`);
    return createAt(wallet, size);
  }

  async function createAt(wallet: string, size: number): Promise<string> {
    const reply = await fetch(`${service.miner.minerUrl}/api/create-hl-subaccount`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.minerKey}:registrar`, 'content-type': 'application/json' },
      body: JSON.stringify({ hl_address: wallet, account_size: size }),
    });
    expect(reply.status).to.equal(200);
    const { subaccount } = (await reply.json()) as { subaccount: { subaccount_id: number } }; // as: the sandbox’s
    return String(subaccount.subaccount_id);
  }
});
