import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { z } from 'zod';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser, openBrowser, type TestBrowser } from '../support/browser.ts';
import { bearer, type TestApp } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { limit, market } from '../support/orders.ts';
import { startTrading, type TestTrader, type Trading } from '../support/trading.ts';

const URL_OF_HOOKS = 'https://hooks.example.com/workbench';

describe('the workbench in a browser', function () {
  this.timeout(90_000);
  let service: Trading;
  let trader: TestTrader;
  let order: string;
  let endpoint: string;
  let key: string;
  let browser: TestBrowser;
  let page: Page;
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
    ({ key } = await service.wallet());
  });
  after(() => service?.stop());
  beforeEach(async () => {
    browser = await openBrowser({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 }, bypassCSP: true });
    page = browser.page;
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.complaints).to.deep.equal([]);
  });

  const enter = async (credential: string, secret = '') => {
    await page.goto(`${service.url}/workbench`);
    await page.getByLabel('Partner key, or client id').fill(credential);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Open' }).click();
  };
  const enterAs = async ({ appId, secret }: Pick<TestApp, 'appId' | 'secret'>) => {
    await enter(appId, secret);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  };
  const show = async (name: string) => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
  };
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
    await enter(network);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();

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
    await page.locator('td', { hasText: 'user.verified' }).waitFor({ state: 'detached' });

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

  it('rolls the secret of an app, and shows the new one once', async () => {
    const app = await service.app(['api', 'webhooks']);
    await enterAs(app);
    await show('Credentials and quota');
    const quota = await page.getByRole('main').innerText();
    await page.getByRole('button', { name: 'Roll the client secret' }).click();
    await page.getByLabel('Overlap in seconds').fill('600');
    await page.getByRole('button', { name: 'Roll it' }).click();
    const secret = await page.locator('code.secret').innerText();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('status').filter({ hasText: 'The client secret is rolled.' }).waitFor();

    expect(quota).to.match(/\d+ of \d+/);
    expect(secret).to.not.equal(app.secret);
    for (const each of [secret, app.secret])
      expect((await service.token({ appId: app.appId, secret: each })).status).to.equal(200);
  });

  it('rolls the key of a partner, goes on with the new one, and shows both with their last use', async () => {
    const { key: old } = await service.partner();
    await enter(old);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await eventually(async () => {
      await show('Credentials and quota');
      return !/Last used–/.test((await page.getByRole('table', { name: 'Keys' }).innerText()).replace(/\s/g, ''));
    });
    await page.getByRole('button', { name: 'Roll this key' }).click();
    await page.getByLabel('Overlap in seconds').fill('0');
    await page.getByRole('button', { name: 'Roll it' }).click();
    const rolled = await page.locator('code.secret').innerText();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('status').filter({ hasText: 'The key is rolled.' }).waitFor();
    const keys = await page.getByRole('table', { name: 'Keys' }).innerText();
    const reply = (credential: string) => service.ask('GET', '/v1/keys', { headers: bearer(credential) });

    expect(keys)
      .to.include(`${old.slice(0, 8)}…`)
      .and.include(`${rolled.slice(0, 8)}…`)
      .and.include('revoked');
    expect([(await reply(old)).status, (await reply(rolled)).status]).to.deep.equal([401, 200]);
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

  it('tries an operation with the credentials of the page, and shows the call as code that has none of them', async () => {
    const { key: own } = await service.partner();
    await enter(own);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await show('Try an operation');
    await page.getByLabel('Operation').selectOption('createPartnerWebhookEndpoint');
    await page.getByLabel('Body').fill('{ "url": "https://hooks.example.com/tried", "events": ["*"] }');
    const code = async (label: string) => page.getByLabel(`As ${label}`).innerText();
    const shown = [await code('curl'), await code('TypeScript'), await code('Python')];
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: 'hooks.example.com/tried' }).waitFor();
    const { body } = await service.ask('GET', '/v1/webhook-endpoints', { headers: bearer(own) });

    expect(body.map(({ url }: { url: string }) => url)).to.deep.equal(['https://hooks.example.com/tried']);
    for (const text of shown) expect(text).to.include('https://hooks.example.com/tried').and.not.include(own);
    expect(shown[0]).to.match(/^curl /);
    expect(shown[1]).to.include("client.api.POST('/v1/webhook-endpoints'");
    expect(shown[2]).to.include('urllib.request');
  });

  it('keeps no credential in the browser, takes no wrong one, and asks again once it is invalid', async () => {
    await enter('tpk_wrong');
    await page.getByRole('alert').filter({ hasText: 'V1_KEY_INVALID' }).waitFor();
    await enter(key);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    await service.db.query(sql.unsafe`update partner_keys set revoked_at = now()`);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Endpoints' }).click();
    await page.getByText('The credentials are not valid any more.').waitFor();
    await service.db.query(sql.unsafe`update partner_keys set revoked_at = null`);

    expect(kept).to.not.include(key);
    expect(await page.locator('#console').isHidden()).to.equal(true);
  });

  it('has no fault that axe finds, from a phone to a desktop', async () => {
    await addAxe(browser.context);
    await enterAs(service.tenant);
    const found = await faultsOf(page, 'events');
    for (const name of ['Find', 'Requests', 'Endpoints', 'Deliveries', 'Credentials and quota', 'Try an operation']) {
      await show(name);
      found.push(...(await faultsOf(page, name)));
    }
    await page.reload();
    await page.getByLabel('Partner key, or client id').waitFor();
    found.push(...(await faultsOf(page, 'enter')));

    expect(found).to.deep.equal([]);
  });
});
