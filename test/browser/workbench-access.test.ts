import { expect } from 'chai';
import { sql } from 'slonik';
import { overview } from '../../src/sandbox/overview.ts';
import { needsBrowser } from '../support/browser.ts';
import { bearer } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { startTrading, type Trading } from '../support/trading.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

describe('the workbench, of the credentials that opened it,', function () {
  this.timeout(90_000);
  let service: Trading;
  let key: string;
  let { browser, page, enter, enterAs, show } = {} as Workbench; // as: set before each test
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
    ({ key } = await service.partner());
  });
  after(() => service?.stop());
  beforeEach(async () => {
    ({ browser, page, enter, enterAs, show } = await openWorkbench(service.url));
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.complaints).to.deep.equal([]);
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
    await enterAs(old);
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
      .and.include('expired');
    expect([(await reply(old)).status, (await reply(rolled)).status]).to.deep.equal([401, 200]);
  });

  it('keeps no credential in the browser, takes no wrong one, and asks again once it is invalid', async () => {
    await enter('tpk_wrong');
    await page.getByRole('alert').filter({ hasText: 'V1_KEY_INVALID' }).waitFor();
    await page.route('**/v1/webhook-endpoints*', (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
    );
    await enter(key);
    await page.getByRole('alert').filter({ hasText: 'NO_RESPONSE' }).waitFor();
    await page.unroute('**/v1/webhook-endpoints*');
    browser.complaints.splice(0);
    await enterAs(key);
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

  it('lets time pass and sends a control call of the sandbox, with the body that it lists', async () => {
    const sent: { path: string; body: unknown }[] = [];
    await page.route('**/sandbox', (route) => route.fulfill({ json: overview }));
    await page.route('**/sandbox/**', (route) => {
      const request = route.request();
      sent.push({ path: new URL(request.url()).pathname, body: request.postDataJSON() });
      return route.fulfill({ json: { done: true } });
    });
    await enterAs(key);
    await show('Sandbox');
    await page.getByRole('button', { name: 'Let time pass' }).click();
    await page.getByRole('textbox', { name: 'Account' }).fill('prop_1');
    await page.getByRole('button', { name: 'Let it pass' }).click();
    await page.getByRole('status').filter({ hasText: 'Time has passed' }).waitFor();
    await page.getByRole('button', { name: 'Send: /sandbox/network/price' }).click();
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('status').filter({ hasText: '/sandbox/network/price' }).waitFor();
    await page.getByRole('button', { name: 'Add a fault: network' }).click();
    await page.getByLabel('Kind').selectOption('hang');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByRole('status').filter({ hasText: 'The network has a fault' }).waitFor();

    expect(sent).to.deep.equal([
      { path: '/sandbox/clock/advance', body: { seconds: 86_400, account: 'prop_1' } },
      { path: '/sandbox/network/price', body: { pair: 'BTCUSDC', price: 91_000 } },
      { path: '/sandbox/network/faults', body: { kind: 'hang', times: 1 } },
    ]);
  });
});
