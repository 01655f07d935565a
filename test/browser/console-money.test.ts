import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { z } from 'zod';
import { processor as openProcessor } from '../../src/adapters/processor/index.ts';
import { proveLedger } from '../../src/capabilities/ledger/prove.ts';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { openConsole, PHONE, type TestConsole } from '../support/console.ts';
import { accountIn, checkOut, eventually, type Money, PROCESSOR, startMoney, tier25k } from '../support/money.ts';

const sumRow = z.object({ shown: z.string() });

describe('money in the console, on a phone', function () {
  this.timeout(90_000);
  let service: Money;
  let desk: TestConsole;
  let page: Page;
  before(async function () {
    needsBrowser(this);
    service = await startMoney();
  });
  after(() => service?.stop());
  beforeEach(async () => {
    desk = await openConsole(service, { bypassCSP: true, viewport: PHONE });
    page = desk.page;
    await addAxe(desk.context);
  });
  afterEach(async () => {
    await service.control('notifications', { hold: false });
    await desk.close();
    expect(desk.complaints).to.deep.equal([]);
  });

  /** A user whose account was bought with one card payment. */
  async function buyer() {
    const user = await service.user(service.tenant);
    const { payment_id: payment, processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
    return { user, payment, id };
  }
  const faults = async (name: string) => {
    const found = await faultsOf(page, name);
    await page.setViewportSize(PHONE);
    return found;
  };
  /** Shows a view until it has a text. */
  const until = (view: string, text: string | RegExp) =>
    eventually(async () => {
      await desk.show('tiers');
      await desk.show(view);
      return (await page.getByRole('main').getByText(text).count()) > 0;
    });

  it('a dispute that needs a response leads to its user, and leaves the list when the bank has decided', async () => {
    const { user, payment, id } = await buyer();
    await desk.logIn();
    await desk.show('disputes?open=true');
    const before = await page.getByRole('main').innerText();
    await service.control('payment', { id, to: 'disputed' });
    await until('disputes?open=true', user.email);
    const row = await page.getByRole('row', { name: new RegExp(payment) }).innerText();
    const found = await faults('a dispute');
    const dispute = String(await page.locator('tbody th a').getAttribute('title'));
    await page.getByRole('link', { name: user.userId }).click();
    await page.getByRole('heading', { level: 2, name: user.email }).waitFor();
    const evidence = await page.getByRole('main').innerText();
    await service.control('dispute', { id: dispute, to: 'won' });
    await until('disputes?open=true', 'No payment is disputed.');
    await page.getByLabel('Which').selectOption('all');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const ended = await page.getByRole('row', { name: new RegExp(payment) }).innerText();

    expect(before).to.include('No payment is disputed.');
    expect(row).to.include('needs response').and.include('$199.00').and.include('taken').and.include(user.email);
    expect(evidence).to.include(payment);
    expect(ended).to.include('won').and.not.include('needs response').and.not.include('taken');
    const { body } = await user.ask('GET', `/v2/payments/${payment}`);
    expect(body).to.include({ status: 'succeeded', disputed_cents: 0 });
    expect(found).to.deep.equal([]);
  });

  it('the ledger shows what the processor has, where it differs, at which time, and a month as a file', async () => {
    await buyer();
    const { id, payment } = await buyer();
    const operator = await desk.logIn();
    await prove();
    await desk.show('ledger');
    const agreeing = await page.getByRole('main').innerText();
    const shown = await page.locator('td[data-label=Balance]').allInnerTexts();
    const summed = await service.db.any(sql.type(sumRow)`
      select case when sum(l.amount) < 0 then '-' else '' end || '$' || to_char(abs(sum(l.amount)) / 100.0, 'FM999,990.00') as shown
      from ledger_lines l
      group by l.account, l.holder, l.currency`);
    const platform = service.processor.balance
      .filter(({ account }) => account === null)
      .reduce((sum, { net }) => sum + net, 0);
    await page.getByLabel('Balances before').fill('2020-01-01T00:00:00Z');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('No money has moved.').waitFor();
    await service.control('notifications', { hold: true });
    await service.control('payment', { id, to: 'refunded', amount: 700 });
    await prove();
    await until('ledger', payment);
    const differing = await page.getByRole('row', { name: new RegExp(payment) }).innerText();
    const found = await faults('a ledger that differs');
    const [entry] = (await operator.ask('GET', `/v2/admin/ledger/entries?subject=${payment}`)).body;
    const month = entry.said_at.slice(0, 7);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: month, exact: true }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    await service.runTask('payments/reconcile');
    await eventually(async () => {
      await prove();
      return (await operator.ask('GET', '/v2/admin/ledger/differences')).body.length === 0;
    });
    await until('ledger', 'The ledger and the processor agree.');

    expect(agreeing).to.include('The ledger and the processor agree.');
    expect(shown).to.have.members(summed.map((row) => row.shown));
    expect(shown).to.include(`$${(platform / 100).toFixed(2)}`);
    expect(differing).to.include('platform').and.include(id);
    expect(lines.filter((line) => line.includes(payment))).to.not.deep.equal([]);
    expect(found).to.deep.equal([]);
  });

  const prove = () =>
    proveLedger(
      {},
      {
        db: service.db,
        processor: openProcessor({ url: service.processor.url, ...PROCESSOR }),
        log: { error: () => {} },
        stopping: new AbortController().signal,
      },
      { minutes: -1 }, // also what moved just now
    );
});
