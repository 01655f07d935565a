import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { eventually } from '../support/money.ts';
import { limit, market } from '../support/orders.ts';
import { startTrading, type TestTrader, type Trading } from '../support/trading.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

const URL_OF_HOOKS = 'https://hooks.example.com/workbench';

describe('the workbench in a browser', function () {
  this.timeout(90_000);
  let service: Trading;
  let trader: TestTrader;
  let order: string;
  let endpoint: string;
  let { browser, page, enterAs, show } = {} as Workbench; // as: set before each test
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
    trader = await service.propTrader();
    const { tenant } = service;
    const hook = { json: { url: URL_OF_HOOKS, events: ['*'] } };
    endpoint = (await tenant.ask('POST', '/v2/webhook-endpoints', hook)).body.id;
    await tenant.ask('POST', `/v2/webhook-endpoints/${endpoint}/test`);
    order = (await trader.ask('POST', '/v2/trading/orders', { json: market() })).body.order_uuid;
    await trader.ask('POST', '/v2/agreements/sign', { json: { agreement_version: '1', signature_name: 'Ada' } });
  });
  after(() => service?.stop());
  beforeEach(async () => {
    ({ browser, page, enterAs, show } = await openWorkbench(service.url));
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.complaints).to.deep.equal([]);
  });

  const find = async (id: string) => {
    await page.getByLabel('Find by id').fill(id);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText(`What ${id} names`).waitFor();
    return page.getByRole('main').innerText();
  };

  it('finds an order and an account by any id, and nothing of another tenant', async () => {
    await enterAs(service.tenant);
    const [ofOrder, ofAccount, ofUser] = [
      await find(order),
      await find(trader.account.id),
      await find(trader.user.email),
    ];
    await page.reload();
    await enterAs(await service.app(['*']));
    const others = [await find(order), await find(trader.account.id), await find(trader.user.email)];

    expect(ofOrder).to.include('netvenue BTCUSDC').and.include('Intent network/place');
    expect(ofAccount).to.include('evaluation').and.include(trader.user.userId);
    expect(ofUser).to.include('verified');
    for (const text of others) expect(text).to.include('Nothing of yours has this id.');
  });

  it('finds an order of a partner by the number of the exchange, and its trader by Trader-ID', async () => {
    const { post, traderId, key: network } = await service.trader();
    const { body } = await post('/v1/orders/netvenue', limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 }));
    await enterAs(network);

    expect(await find(body.order_uuid))
      .to.include('netvenue ETHUSDC')
      .and.include('resting');
    expect(await find(traderId))
      .to.include('subaccount')
      .and.include('active');
  });

  it('filters events by their type', async () => {
    await enterAs(service.tenant);
    await page.getByLabel('Type').fill('agreement.signed');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('td', { hasText: 'agreement.signed' }).first().waitFor();
    await page.locator('td', { hasText: 'user.verified' }).first().waitFor({ state: 'detached' });

    const types = await page.locator('td[data-label=Type]').allInnerTexts();
    await page
      .getByLabel(/^Show: Data of/)
      .first()
      .click();
    expect(new Set(types)).to.deep.equal(new Set(['agreement.signed']));
    expect(await page.locator('details[open] pre').innerText()).to.include(trader.user.userId);
  });

  it('lists its own requests with what became of them, and counts them by day', async () => {
    const other = await service.app(['*']);
    await other.ask('GET', '/v2/payments/prop-accounts/failed');
    const failed = await service.tenant.ask('GET', `/v2/intents/${order.replace(/^.{8}/, '00000000')}`);
    const requestId = String(failed.headers.get('x-request-id'));
    await enterAs(service.tenant);
    await eventually(async () => {
      await show('Requests');
      return (await page.getByRole('main').innerText()).includes(requestId);
    });
    await page.getByLabel('Operation').fill('getAppIntent');
    await page.getByLabel('Result').selectOption('failed');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('td', { hasText: 'submitTradingOrder' }).first().waitFor({ state: 'detached' });
    await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
    const text = await page.getByRole('main').innerText();
    await show('Credentials and quota');

    expect(text).to.include(requestId).and.include('INTENT_UNKNOWN').and.include('404');
    expect(text).to.not.include('listFailedPropAccounts');
    expect(await page.getByRole('table', { name: 'Requests by day' }).innerText()).to.match(/\d{4}-\d\d-\d\d/);
  });

  it('shows a delivery with its body and attempts, and replays it', async () => {
    const ended = await eventually(() =>
      service.db.maybeOne(sql.type(z.object({ id: z.string() }))`
        update webhook_deliveries
        set state = 'failed', ended_at = now(), lane = null
        where endpoint_id = ${endpoint} and state in ('pending', 'failed')
          and event_id in (select id from events where type = 'agreement.signed')
        returning id`),
    );
    await enterAs(service.tenant);
    await show('Deliveries');
    await page.getByRole('link', { name: ended.id }).click();
    await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    const text = await page.getByRole('main').innerText();
    await page.getByRole('button', { name: `Replay: ${ended.id}` }).click();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `${ended.id} is pending` })
      .waitFor();

    expect(text).to.include('agreement.signed').and.include('"origin": "service"').and.include('failed');
  });

  it('sends a test event to an endpoint', async () => {
    await enterAs(service.tenant);
    await show('Endpoints');
    await page.getByRole('button', { name: `Test: ${endpoint}` }).click();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('status').filter({ hasText: 'The test is delivery whd_' }).waitFor();
  });

  it('filters deliveries by state and event', async () => {
    await enterAs(service.tenant);
    await show('Deliveries');
    await page.getByLabel('Event').fill('webhook.test');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('td', { hasText: 'agreement.signed' }).first().waitFor({ state: 'detached' });
    await page.locator('td', { hasText: 'webhook.test' }).first().waitFor();
    const types = await page.locator('td[data-label=Event]').allInnerTexts();
    await page.getByLabel('State').selectOption('cancelled');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('Nothing was sent there.').waitFor();

    expect(new Set(types)).to.deep.equal(new Set(['webhook.test']));
  });

  it('has no fault that axe finds, from a phone to a desktop', async () => {
    await addAxe(browser.context);
    await enterAs(service.tenant);
    const found = await faultsOf(page, 'events');
    for (const name of [
      'Find',
      'Requests',
      'Endpoints',
      'Deliveries',
      'Credentials and quota',
      'Try an operation',
      'Sandbox',
    ]) {
      await show(name);
      found.push(...(await faultsOf(page, name)));
    }
    await page.reload();
    await page.getByLabel('Partner key, or client id').waitFor();
    found.push(...(await faultsOf(page, 'enter')));

    expect(found).to.deep.equal([]);
  });
});
