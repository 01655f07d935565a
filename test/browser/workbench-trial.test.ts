import { expect } from 'chai';
import { needsBrowser } from '../support/browser.ts';
import { bearer } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { startTrading, type Trading } from '../support/trading.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

const LANGUAGES = ['curl', 'TypeScript', 'Python'];
const UNREACHED = /^Failed to load resource: net::ERR_FAILED$/;

describe('an operation that is tried in the workbench', function () {
  this.timeout(90_000);
  let service: Trading;
  let { browser, page, enterAs, show } = {} as Workbench; // as: set before each test
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
  });
  after(() => service?.stop());
  beforeEach(async () => {
    ({ browser, page, enterAs, show } = await openWorkbench(service.url));
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.complaints.filter((text) => !UNREACHED.test(text))).to.deep.equal([]);
  });

  const choose = async (operation: string) => {
    await show('Try an operation');
    await page.getByLabel('Operation').selectOption(operation);
    await page.waitForURL(`**operation=${operation}`);
    await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
  };
  const fillEndpoint = (name: string) =>
    page.getByLabel('Body').fill(`{ "url": "https://hooks.example.com/${name}", "events": ["*"] }`);
  const codeOf = () => Promise.all(LANGUAGES.map((label) => page.getByLabel(`As ${label}`).innerText()));
  const send = () => page.getByRole('button', { name: 'Send' }).click();
  const output = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const endpointsOf = async (key: string) => {
    const { body } = await service.ask('GET', '/v1/webhook-endpoints', { headers: bearer(key) });
    return body.map(({ url }: { url: string }) => url);
  };

  it('is sent with the credentials of the page, and shown as code that has none of them', async () => {
    const { key } = await service.partner();
    await enterAs(key);
    await choose('createPartnerWebhookEndpoint');
    await fillEndpoint('tried');
    const shown = await codeOf();
    await send();
    await output('hooks.example.com/tried');

    expect(await endpointsOf(key)).to.deep.equal(['https://hooks.example.com/tried']);
    for (const text of shown) expect(text).to.include('https://hooks.example.com/tried').and.not.include(key);
    expect(shown[0]).to.match(/^curl /);
    expect(shown[1]).to.include("client.api.POST('/v1/webhook-endpoints'");
    expect(shown[2]).to.include('urllib.request');
  });

  it('is shown as code without the secrets that were typed into it', async () => {
    await enterAs(service.tenant);
    await choose('reauthenticateUser');
    const session = page.getByLabel('X-Session-Token');
    await session.fill('typed-session');
    await page
      .getByLabel('Body')
      .fill('{ "password": "typed-password", "totp_code": "typed-code", "more": { "secret": "typed-secret" } }');
    const shown = await codeOf();

    expect(await session.getAttribute('type')).to.equal('password');
    for (const text of shown) expect(text).to.include('totp_code').and.include('SESSION').and.not.include('typed-');
  });

  it('is sent again under its key until a response has arrived, and never twice at once', async () => {
    const { key } = await service.partner();
    const keys: (string | undefined)[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/webhook-endpoints', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch(); // it is carried out, and its response is lost
      await released;
      return route.abort();
    });
    await enterAs(key);
    await choose('createPartnerWebhookEndpoint');
    await fillEndpoint('once');
    await send();
    const isDisabled = await page.getByRole('button', { name: 'Send' }).isDisabled();
    release();
    await output('nothing is done twice');
    await send();
    await output('hooks.example.com/once');
    const afterRetry = await endpointsOf(key);
    await send();
    await eventually(async () => (await endpointsOf(key)).length === 2);

    expect(isDisabled).to.equal(true);
    expect(afterRetry).to.deep.equal(['https://hooks.example.com/once']);
    expect(keys[1])
      .to.equal(keys[0])
      .and.to.match(/^[0-9a-f-]{36}$/);
    expect(keys).to.have.length(3);
    expect(keys[2]).to.not.equal(keys[0]);
  });

  it('is sent again under its key after the response of a gateway, and complains no more once it was sent', async () => {
    const { key } = await service.partner();
    let gateway = true;
    await page.route('**/v1/webhook-endpoints', async (route) => {
      if (route.request().method() !== 'POST' || !gateway) return route.continue();
      gateway = false;
      await route.fetch(); // it is carried out
      return route.fulfill({ status: 504, contentType: 'text/html', body: 'Gateway time-out' });
    });
    await enterAs(key);
    await choose('createPartnerWebhookEndpoint');
    await page.getByLabel('Body').fill('{');
    await send();
    await page.getByText('The body is not JSON.').waitFor();
    await fillEndpoint('behind');
    await send();
    await output('Gateway time-out');
    await send();
    await output('hooks.example.com/behind');

    expect(await endpointsOf(key)).to.deep.equal(['https://hooks.example.com/behind']);
    expect(await page.getByText('The body is not JSON.').count()).to.equal(0);
    browser.complaints.splice(0);
  });
});
