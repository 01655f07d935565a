import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { accessibilityFaults, overflow } from '../support/browser.ts';
import { openEach, type TestConsole } from '../support/console.ts';
import { earner, endWithoutProof, payingApp } from '../support/earning.ts';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../support/money.ts';
import { startReceiver } from '../support/receivers.ts';

const CREATE = 'create-subaccount';

describe('recovery in the console', function () {
  this.timeout(60_000);
  let service: Money;
  let desk: TestConsole;
  let page: Page;
  openEach(
    () => startMoney(),
    (opened) => {
      ({ service, desk, page } = opened);
    },
  );
  afterEach(() => {
    service.miner.faults.clear();
    service.processor.faults.clear();
  });

  /** An unfulfilled payment: its account could not be created. */
  async function unfulfilledPayment() {
    const buyer = await service.user(service.tenant);
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const { payment_id, processor_payment_intent_id: id } = await checkOut(buyer.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    const account = await accountIn(buyer.ask, 'subaccount_failed');
    return { buyer, payment: payment_id, account: String(account.id) };
  }

  it('shows a failed paid account on an open overview within its next refresh', async () => {
    await desk.logIn();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await unfulfilledPayment();

    const card = page.locator('.card', { hasText: 'Failed accounts' });
    await card.getByText('needs attention').waitFor({ timeout: 8_000 });
    await card.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Failed accounts' }).waitFor();
  });

  it('asks for confirmation before it refunds money, then abandons the account with a reason', async () => {
    const { payment, account } = await unfulfilledPayment();
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes(payment)) posts.push(request.url());
    });
    await desk.logIn();

    const wide: string[] = [];
    for (const view of ['accounts', 'unfulfilled?minutes=0']) {
      await desk.show(view);
      await page
        .getByRole('button', { name: account })
        .or(page.getByRole('button', { name: payment }))
        .first()
        .waitFor();
      for (const width of [320, 700, 961, 1201, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        if ((await overflow(page)) > 0) wide.push(`${view} at ${width}`);
      }
    }
    await page.getByRole('button', { name: `Refund: ${payment}` }).click();
    await page.getByLabel('Reason').fill('the customer wrote');
    await page.getByRole('button', { name: 'Give it back' }).click();
    const second = await page.getByRole('dialog').innerText();
    await page.getByLabel('Type 199.00 to go on').fill('19900');
    await page.getByRole('button', { name: 'Give it back' }).click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'That is not 199.00' }).waitFor();
    const before = posts.length;
    await page.getByLabel('Type 199.00 to go on').fill('199.00');
    await page.getByRole('button', { name: 'Give it back' }).click();
    await desk.waitForText(`Refund: ${payment}. Done.`);
    const isListed = await page.getByRole('button', { name: payment }).count();
    await desk.show('accounts');
    await page.getByRole('button', { name: `Give up: ${account}` }).click();
    await page.getByLabel('Reason').fill('given back');
    await page.getByRole('dialog').getByRole('button', { name: 'Give it up' }).click();
    await desk.waitForText(`Give up: ${account}. Done.`);

    expect(wide).to.deep.equal([]);
    expect(second).to.include('This moves money: $199.00');
    expect([before, posts.length, isListed]).to.deep.equal([0, 1, 0]);
    expect(await page.getByRole('button', { name: account }).count()).to.equal(0);
  });

  it('provisions an account again, and shows the error code when another operator already did', async () => {
    const { buyer, account } = await unfulfilledPayment();
    const operator = await desk.logIn();
    await desk.show('accounts');
    await page.getByRole('button', { name: `Provision again: ${account}` }).click();
    await operator.ask('POST', `/v2/admin/prop-accounts/${account}/provision`, { json: { reason: 'first' } });
    await accountIn(buyer.ask, 'evaluation');

    await page.getByLabel('Reason').fill('second');
    await page.getByRole('dialog').getByRole('button', { name: 'Provision again' }).click();
    const rejected = await page.getByRole('dialog').getByRole('alert').innerText();
    const other = await unfulfilledPayment();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByRole('button', { name: `Provision again: ${other.account}` }).click();
    await page.getByLabel('Reason').fill('the network is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Provision again' }).click();
    await desk.waitForText(`Provision again: ${other.account}. Done.`);

    expect(rejected).to.include('V2_ACCOUNT_NOT_FAILED');
    expect(await accountIn(other.buyer.ask, 'evaluation')).to.include({ id: other.account });
  });

  it('looks up a payout of unknown effect, and reverses one that its bank account rejected', async () => {
    const app = await payingApp(service);
    const [lost, rejected] = [await earner(service, app, 500), await earner(service, app, 300)];
    const [unknown, failed] = [await lost.request(50_000), await rejected.request(30_000)];
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/transfers' });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/transfers' });
    await lost.ask('POST', `/v2/payouts/${unknown}/submit`, { headers: { Prefer: 'respond-async' } });
    await endWithoutProof(service, 'payouts/submit');
    service.processor.faults.clear();
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await rejected.submit(failed);
    await rejected.payoutIs(failed, 'failed');
    await desk.logIn();

    const found: string[] = [];
    for (const width of [320, 480, 700, 961, 1201, 1280, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      await desk.show('stranded');
      await page.getByRole('button', { name: `Look up: ${unknown}` }).waitFor();
      if ((await overflow(page)) > 0) found.push(`too wide at ${width}`);
    }
    found.push(...(await accessibilityFaults(page)));
    await page.getByRole('button', { name: `Look up: ${unknown}` }).click();
    await page.getByLabel('Reason').fill('the processor was away');
    await page.getByRole('dialog').getByRole('button', { name: 'Look up' }).click();
    await desk.waitForText(`Look up: ${unknown}. The transfer was made (tr_`);
    await page.getByRole('button', { name: `Reverse: ${failed}` }).click();
    await page.getByLabel('Reason').fill('the account was closed');
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByLabel('Type reverse to go on').fill('reverse');
    await page.getByRole('button', { name: 'Take it back' }).click();
    await desk.waitForText(`Reverse: ${failed}. Done.`);

    expect(found).to.deep.equal([]);
    await rejected.payoutIs(failed, 'reversed');
    await lost.payoutIs(unknown, 'transferred');
  });

  it('attaches to a registration of a partner the subaccount that it has made, from the page of its intent', async () => {
    const partner = await service.partner();
    const made = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount');
    const before = made().length;
    service.miner.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 1 });
    service.miner.faults.add({ kind: 'status_500', route: '/entity/' });
    const json = { asset_class: 'crypto', account_size: 31_000 };
    const pending = await partner.post('/v1/register/netvenue', json, { prefer: 'wait=0' });
    await eventually(async () => made().length > before);
    const ours = String(made().at(-1)?.subaccount_id);
    service.miner.addSubaccounts(1, { size: 31_000 });
    service.miner.faults.clear();
    const ended = await partner.poll(pending);
    await desk.logIn();

    await desk.show('intents?state=undecided');
    await page.getByRole('link', { name: String(pending.headers['intent-id']) }).click();
    await page.getByRole('button', { name: 'Attach the subaccount that it made…' }).click();
    await page.getByLabel('Subaccount id').fill(ours);
    await page.getByLabel('Reason').fill('the network says so');
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await desk.waitForText(`Subaccount ${ours} belongs to ${partner.owner}.`);

    expect(ended.problem.code).to.equal('SUBACCOUNT_AMBIGUOUS');
    expect(await page.getByRole('button', { name: 'Attach the subaccount that it made…' }).isVisible()).to.equal(false);
  });

  it('offers to re-run the open intents that a list shows, and nothing where none of them is open', async () => {
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/v2/admin/reruns') asked.push(searchParams.get('state'));
    });
    await desk.logIn();
    const button = page.locator('#rerun-all');
    for (const query of ['', '?state=queued']) {
      await desk.show(`intents${query}`);
      await button.click();
      await page.getByRole('button', { name: 'Cancel' }).click();
    }
    const isOffered: boolean[] = [];
    for (const state of ['failed', 'expired', 'undecided', 'running']) {
      await desk.show(`intents?state=${state}`);
      isOffered.push(await button.isVisible());
    }

    expect(asked).to.deep.equal(['in_doubt', 'queued']);
    expect(isOffered).to.deep.equal([false, false, false, true]);
  });

  it('sends an abandoned delivery again, under the same id', async () => {
    const receiver = await startReceiver(() => 500);
    const json = { url: receiver.url, events: ['*'] };
    const { body: endpoint } = await service.tenant.ask('POST', '/v2/webhook-endpoints', { json });
    await service.db.query(sql.unsafe`select emit_event(${service.tenant.appId}, 'payment.succeeded', '{}')`);
    const delivery = await eventually(() =>
      service.db.maybeOneFirst(sql.unsafe`
        update webhook_deliveries
        set state = 'failed', ended_at = now(), attempts = 10
        where endpoint_id = ${endpoint.id} and state = 'pending' and attempts = 1
        returning id`),
    );
    receiver.behave(() => 200);
    await desk.logIn();

    await desk.show('deliveries');
    await page.getByRole('button', { name: `Retry: ${delivery}` }).click();
    await page.getByLabel('Reason').fill('they are up again');
    await page.getByRole('button', { name: 'Send it once more' }).click();
    await desk.waitForText(`${delivery} is`);
    await eventually(async () => receiver.ledger.length === 2);
    await receiver.close();

    const ids = receiver.ledger.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).to.be.a('string');
    expect(ids[1]).to.equal(ids[0]);
  });
});
