import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { z } from 'zod';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { openConsole, PHONE, type TestConsole } from '../support/console.ts';
import type { TestAdmin } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { limit, market, restingOf } from '../support/orders.ts';
import { startReceiver } from '../support/receivers.ts';
import { startTrading, type TestTrader, type Trading } from '../support/trading.ts';

const idRow = z.object({ id: z.string() });

describe('what an operator finds in the console, on a phone', function () {
  this.timeout(90_000);
  let service: Trading;
  let trader: TestTrader;
  let order: { id: string; requestId: string };
  let operator: TestAdmin;
  let desk: TestConsole;
  let page: Page;
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
    trader = await service.propTrader();
    const placed = await trader.ask('POST', '/v2/trading/orders', { json: market() });
    order = { id: placed.body.order_uuid, requestId: String(placed.headers.get('x-request-id')) };
    await trader.ask('POST', '/v2/trading/orders', { json: limit() });
    await trader.ask('POST', '/v2/trading/orders', { json: limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 }) });
    const other = await service.propTrader();
    await other.ask('POST', '/v2/trading/orders', { json: limit() });
  });
  after(() => service?.stop());
  beforeEach(async () => {
    desk = await openConsole(service, { bypassCSP: true, viewport: PHONE });
    page = desk.page;
    await addAxe(desk.context);
    operator = await desk.logIn();
  });
  afterEach(async () => {
    await desk.close();
    expect(desk.complaints).to.deep.equal([]);
  });

  /** Presses a button that reads a list, and waits until the list is shown. */
  const press = async (name: string, path: string) => {
    const response = page.waitForResponse((each) => new URL(each.url()).pathname === path);
    await page.getByRole('button', { name, exact: true }).click();
    await response;
    await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
  };
  const find = async (text: string) => {
    await page.getByLabel('Find by id or address').fill(text);
    await press('Find', '/v2/admin/search');
    return page.getByRole('main').innerText();
  };
  const listed = async () =>
    Promise.all((await page.locator('tbody th a').all()).map(async (link) => String(await link.getAttribute('title'))));
  const allOf = async (query: Parameters<Trading['db']['any']>[0]) =>
    (await service.db.any(query)).map((row) => idRow.parse(row).id);

  it('leads from the id that a customer names to all orders of that trader, and to those that rest', async () => {
    const found = await find(order.id);
    const faults = await faultsOf(page, 'what an id names');
    await page.setViewportSize(PHONE);
    await page.getByRole('link', { name: 'All orders of this trader' }).first().click();
    await page.getByRole('table', { name: 'Orders, newest first' }).waitFor();
    const all = await listed();
    await page.getByLabel('State').selectOption('resting');
    await press('Show', '/v2/admin/orders');
    const resting = await listed();
    await page.getByRole('link', { name: resting[0] as string }).click();
    await page.getByRole('link', { name: 'Its story, and what a re-run would do' }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('table', { name: 'Orders, newest first' }).waitFor();
    faults.push(...(await faultsOf(page, 'orders of a trader')));

    const hotkey = trader.account.synthetic_hotkey;
    expect(found).to.include('netvenue BTCUSDC').and.include(hotkey);
    expect(all).to.deep.equal(
      await allOf(sql.type(idRow)`select id from orders where trader = ${hotkey} order by created_at desc`),
    );
    expect(all).to.have.length(3).and.include(order.id);
    expect(resting).to.have.members((await restingOf(service, trader)).map(({ uuid }) => uuid));
    expect(faults).to.deep.equal([]);
  });

  it('is what each id names that a customer, a log line or the processor has, and nothing for one that nobody has', async () => {
    const event = await service.db.oneFirst(
      sql.type(idRow)`select id from events where owner = ${service.tenant.appId} limit 1`,
    );
    const texts = [];
    for (const name of [trader.user.email, order.requestId, event, `trader ${trader.traderId}`, trader.account.id])
      texts.push(await find(name));
    const nothing = await find('pay_nobody');
    await find(trader.user.email);
    await page.getByRole('link', { name: 'Its accounts, payments, payouts and sessions' }).click();
    await page.getByRole('heading', { level: 2, name: trader.user.email }).waitFor();
    const ofUser = await page.getByRole('main').innerText();

    for (const [n, expected] of [
      trader.user.userId,
      order.id,
      event,
      trader.account.synthetic_hotkey,
      trader.user.userId,
    ].entries())
      expect(texts[n]).to.include(expected);
    expect(ofUser).to.include(trader.account.id);
    expect(nothing).to.include('Nothing is named pay_nobody.');
  });

  it('is what was delivered of one type of event, and one of these is sent once more', async () => {
    const receiver = await startReceiver();
    const json = { url: receiver.url, events: ['*'] };
    const { body: endpoint } = await service.tenant.ask('POST', '/v2/webhook-endpoints', { json });
    for (const agreement_version of ['1', '2'])
      await trader.ask('POST', '/v2/agreements/sign', { json: { agreement_version, signature_name: 'Ada' } });
    await service.tenant.ask('POST', `/v2/webhook-endpoints/${endpoint.id}/test`);
    await eventually(async () => receiver.ledger.length === 3);
    const delivered = () =>
      allOf(sql.type(idRow)`
      select d.id
      from webhook_deliveries d
      join events e on e.id = d.event_id
      where d.endpoint_id = ${endpoint.id} and e.type = 'agreement.signed' and d.state = 'delivered'
      order by d.id desc`);
    await eventually(async () => (await delivered()).length === 2);

    await desk.show('deliveries');
    await page.getByLabel('State').selectOption('delivered');
    await page.getByLabel('App or partner').fill(service.tenant.appId);
    await page.getByLabel('Type of event').fill('agreement.signed');
    await press('Show', '/v2/admin/deliveries');
    const shown = await listed();
    await page.getByRole('button', { name: `Retry: ${shown[0]}` }).click();
    const faults = await faultsOf(page, 'the question before a retry');
    await page.setViewportSize(PHONE);
    await page.getByLabel('Reason').fill('they lost it');
    await page.getByRole('button', { name: 'Send it once more' }).click();
    await desk.waitForText(`${shown[0]} is`);
    await eventually(async () => receiver.ledger.length === 4);
    faults.push(...(await faultsOf(page, 'deliveries')));
    await receiver.close();

    expect(shown).to.deep.equal(await delivered());
    const [again, ...before] = receiver.ledger.toReversed();
    const earlier = before.filter(({ headers }) => headers['webhook-id'] === again?.headers['webhook-id']);
    expect(earlier.map(({ body }) => body)).to.deep.equal([again?.body]);
    const audited = await operator.ask('GET', `/v2/admin/audit?subject=${shown[0]}`);
    expect(audited.body[0]).to.deep.include({ actor: `admin:${operator.adminId}`, action: 'retry_delivery' });
    expect(audited.body[0].detail).to.include({ why: 'they lost it' });
    expect(faults).to.deep.equal([]);
  });

  it('is found although its id was copied with the space around it', async () => {
    await desk.show('orders');
    await page.getByLabel('Trader').fill(`  ${trader.account.synthetic_hotkey} `);
    await press('Show', '/v2/admin/orders');

    expect(await listed()).to.have.length(3);
  });

  it('is asked for again, with what was typed, where a filter was rejected', async () => {
    await desk.show('deliveries');
    await page.getByLabel('Type of event').fill('agreement.signed');
    await press('Show', '/v2/admin/deliveries');
    const rejected = await page.getByRole('main').getByRole('alert').innerText();
    const typed = await page.getByLabel('Type of event').inputValue();
    const faults = await faultsOf(page, 'a rejected filter');
    await page.setViewportSize(PHONE);
    await page.getByLabel('App or partner').fill(service.tenant.appId);
    await press('Show', '/v2/admin/deliveries');
    await page.getByText('No delivery in this state.').waitFor();

    expect(rejected).to.include('INVALID_REQUEST');
    expect(typed).to.equal('agreement.signed');
    expect(faults).to.deep.equal([]);
  });
});
