import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { processor as openProcessor } from '../../../src/adapters/processor/index.ts';
import { proveLedger } from '../../../src/capabilities/ledger/prove.ts';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, PROCESSOR, startMoney, tier25k } from '../../support/money.ts';
import { relayTo } from '../../support/relay.ts';

const PRICE = tier25k.amount_cents;
const FEE = Math.round(PRICE * 0.029) + 30;
const REASON = { reason: 'the month is to be closed' };

describe('the proof of the ledger', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
    await prove(); // the first one: what is bought later is judged
  });
  after(() => service.stop());
  afterEach(() => service.control('notifications', { hold: false }));

  const prove = (bounds = {}, url = service.processor.url) =>
    proveLedger(
      {},
      {
        db: service.db,
        processor: openProcessor({ url, ...PROCESSOR }),
        log: { error: () => {} },
        stopping: new AbortController().signal,
      },
      { minutes: -1, ...bounds }, // also what moved just now
    );
  const differences = async () => (await operator.ask('GET', '/v2/admin/ledger/differences')).body;
  const balances = async (account: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/ledger/balances?limit=200');
    return Object.fromEntries(
      body
        .filter((each: { account: string }) => each.account === account)
        .map((each: Record<string, unknown>) => [each.currency, each.balance]),
    );
  };
  const bankPayoutOf = (trader: Earner) =>
    eventually(async () =>
      service.processor.ledger
        .entries()
        .find(({ kind, detail }) => kind === 'payout' && detail.account === trader.connected),
    );
  async function paid(trader: Earner): Promise<{ id: string; bank: string }> {
    const id = await trader.request(10_000);
    await trader.submit(id);
    const { detail } = await bankPayoutOf(trader);
    await service.control('payout', { id: detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
    return { id, bank: String(detail.id) };
  }

  it('finds nothing where every report arrived, and posts the fees that come with the balance', async () => {
    await paid(await earner(service, app, 300));
    await prove();

    expect(await differences()).to.deep.equal([]);
    expect(await balances('fees')).to.deep.equal({ usd: FEE });
  });

  it('goes on in other jobs where there are more accounts than one has time for', async () => {
    const traders = [await earner(service, app, 300), await earner(service, app, 300)];
    const banks = [];
    for (const trader of traders) banks.push((await paid(trader)).bank);
    await service.control('notifications', { hold: true });
    for (const id of banks) await service.control('payout', { id, to: 'failed' });
    await prove({ withinMs: 0 });

    await eventually(async () => (await differences()).length === 2);
    await service.db.query(
      sql.type(
        z.object({}),
      )`update payout_steps set reconciled_at = null, created_at = now() - interval '1 day' where processor_id = any (${sql.array(banks, 'text')})`,
    );
    await service.runTask('payouts/reconcile');
    await prove();
    expect(await differences()).to.deep.equal([]);
  });

  it('finds a bank return whose one notification was lost, until the service learns of it', async () => {
    const trader = await earner(service, app, 300);
    const { bank } = await paid(trader);
    await service.control('notifications', { hold: true });
    await service.control('payout', { id: bank, to: 'failed' });
    await prove();

    const [found, ...more] = await differences();
    expect(more).to.deep.equal([]);
    expect(found).to.include({ processor_object: trader.connected, place: 'payout_account', posted: 0, shown: 10_000 });
    expect(found.safe_action).to.match(/returned/);
    await service.db.query(
      sql.type(
        z.object({}),
      )`update payout_steps set reconciled_at = null, created_at = now() - interval '1 day' where processor_id = ${bank}`,
    );
    await service.runTask('payouts/reconcile');
    await prove();
    expect(await differences()).to.deep.equal([]);
  });

  it('finds money that other software took from a payout account', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    await service.control('debit', { id: trader.connected, amount: 4_000, currency: 'usd' });
    await prove();

    expect((await differences()).map(({ posted, shown }: Record<string, number>) => ({ posted, shown }))).to.deep.equal(
      [{ posted: 10_000, shown: 6_000 }],
    );
    await service.control('debit', { id: trader.connected, amount: -4_000, currency: 'usd' });
    await prove();
  });

  it('finds a refund of which no event arrived', async () => {
    const trader = await earner(service, app, 300);
    await service.control('notifications', { hold: true });
    await service.control('payment', { id: trader.paymentIntent, to: 'refunded', amount: 700 });
    await prove();

    const [found] = await differences();
    expect(found).to.include({
      processor_object: trader.paymentIntent,
      place: 'platform',
      posted: PRICE - FEE,
      shown: PRICE - FEE - 700,
    });
    await service.runTask('payments/reconcile');
    await eventually(async () => {
      await prove();
      return (await differences()).length === 0;
    });
  });

  it('throws, so that it is run again, while the platform’s list cannot be read; accounts are compared nevertheless', async () => {
    const trader = await earner(service, app, 300);
    await paid(trader);
    await service.control('debit', { id: trader.connected, amount: -100, currency: 'usd' });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/balance_transactions' });

    expect(String(await prove().catch((error) => error))).to.match(/could not be read/);

    service.processor.faults.clear();
    expect(await differences()).to.have.length(1);
    await service.control('debit', { id: trader.connected, amount: 100, currency: 'usd' });
    await prove();
  });

  it('says which change cannot be read, compares all others, and takes that one once it can be read', async () => {
    const [odd, other] = [await earner(service, app, 300), await earner(service, app, 300)];
    await service.control('notifications', { hold: true });
    await service.control('payment', { id: other.paymentIntent, to: 'refunded', amount: 700 });
    const relay = await relayTo(service.processor.url);
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || name !== 'GET /v1/balance_transactions') return reply;
      const list = JSON.parse(String(reply.body));
      for (const each of list.data) if (each.source?.payment_intent === odd.paymentIntent) each.currency = 'usd4';
      return { ...reply, body: JSON.stringify(list) };
    };

    const thrown = String(await prove({}, relay.url).catch((error) => error));
    const found = await differences();
    await relay.close();

    expect(thrown).to.match(/could not be read: txn_\w+$/);
    expect(
      found.map(({ processor_object, posted, shown }: Record<string, unknown>) => [processor_object, posted, shown]),
    ).to.have.deep.members([
      [odd.paymentIntent, PRICE, 0],
      [other.paymentIntent, PRICE - FEE, PRICE - FEE - 700],
    ]);
    await service.runTask('payments/reconcile');
    await eventually(async () => {
      await prove();
      return (await differences()).length === 0;
    });
  });

  it('posts what a platform that settles in one currency exchanges, with the rate', async () => {
    await service.control('settings', { settles: 'gbp' });
    await earner(service, app, 300);
    await service.control('settings', { settles: null });
    await prove();

    expect(await differences()).to.deep.equal([]);
    expect(await balances('fees')).to.include({ gbp: FEE });
    expect((await balances('platform')).gbp).to.equal(Math.trunc(PRICE * 0.9) - FEE);
  });

  it('posts a transfer once, although what it exchanged is posted before the bank has it', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    await service.control('settings', { settles: 'gbp' });
    await trader.submit(id);
    const { detail } = await bankPayoutOf(trader);
    await prove();
    await service.control('payout', { id: detail.id, to: 'paid' });
    const done = await trader.payoutIs(id, 'completed');
    await service.control('settings', { settles: null });

    const { body } = await operator.ask('GET', `/v2/admin/ledger/entries?subject=${id}`);
    const moves = body.map(({ kind, currency, amount }: Record<string, unknown>) => `${kind} ${amount} ${currency}`);
    expect(moves.filter((move: string) => /^(transfer|exchange)/.test(move))).to.have.members([
      'transfer 10000 usd',
      'exchange 10000 usd',
      'exchange 9000 gbp',
    ]);
    expect(done).to.include({ transferred_cents: 10_000, reversed_cents: 0 });
    await prove();
    expect(await differences()).to.deep.equal([]);
  });

  it('runs on request, once for one key', async () => {
    const ask = () =>
      operator.ask('POST', '/v2/admin/ledger/proof', { json: REASON, headers: { 'Idempotency-Key': 'proof-1' } });
    const [first, again] = [await ask(), await ask()];

    expect([first.status, again.status]).to.deep.equal([202, 202]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const acts = await service.db.any(
      sql.type(z.object({ why: z.string() }))`select why from admin_audit where action = 'ledger/prove'`,
    );
    expect(acts).to.deep.equal([{ why: REASON.reason }]);
    await eventually(() =>
      service.db.maybeOne(
        sql.type(z.object({}))`select from balance_proofs where read_until > now() - interval '10 seconds'`,
      ),
    );
  });
});
