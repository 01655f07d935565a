import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { needsBrowser, openBrowser } from '../support/browser.ts';
import { fresh, type Identity, linkIn, startIdentity } from '../support/identity.ts';

const FAR_AWAY_MS = 600; // until a response is there

describe('the reveal page in a browser', function () {
  this.timeout(60_000);
  let service: Identity;
  before(async function () {
    needsBrowser(this);
    service = await startIdentity();
  });
  after(() => service?.stop());

  for (const javaScriptEnabled of [true, false]) {
    it(`shows the credentials when the button is pressed, once, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const link = await approvedLink();
      const { context, page, complaints, close } = await openBrowser({ javaScriptEnabled });
      const requests: string[] = [];
      context.on('request', (request) => requests.push(request.url()));

      await page.goto(link);
      await page.reload();
      const before = await page.locator('[data-field=client_secret]').count();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-field=client_secret]');
      const secret = await page.locator('[data-field=client_secret]').innerText();
      const appId = await page.locator('[data-field=client_id]').innerText();
      const background = await page.evaluate("getComputedStyle(document.querySelector('code')).backgroundColor");
      const second = await context.newPage();
      await second.goto(link);
      const reported = await second.locator('[role=status]').innerText();
      await close();

      expect(before).to.equal(0);
      expect((await service.token({ appId, secret })).status).to.equal(200);
      expect(reported).to.match(/opened at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
      expect(background).not.to.equal('rgba(0, 0, 0, 0)');
      expect(complaints).to.deep.equal([]);
      expect(requests.filter((url) => new URL(url).origin !== new URL(link).origin)).to.deep.equal([]);
    });
  }

  it('shows the credentials even if the button is pressed twice', async () => {
    const link = await approvedLink();
    const { page, complaints, close } = await openBrowser();
    await page.goto(link);
    await page.route('**/v2/reveal/**', async (route) => {
      const response = await route.fetch();
      await pause(FAR_AWAY_MS);
      await route.fulfill({ response }).catch(() => {}); // the page has asked again
    });
    const { x, y } = (await page.getByRole('button').boundingBox()) ?? { x: 0, y: 0 };

    for (let press = 0; press < 2; press += 1) {
      await page.mouse.click(x + 5, y + 5);
      await pause(FAR_AWAY_MS / 3);
    }

    const shown = page.locator('[data-field=client_secret], [role=status]');
    await shown.waitFor();
    expect(await shown.innerText()).to.match(/^csk_/);
    await close();
    expect(complaints).to.deep.equal([]);
  });

  it('has a language, a title, a heading and a labelled button for screen readers', async () => {
    const link = await approvedLink();
    const { page, close } = await openBrowser();

    await page.goto(link);
    const described = {
      language: await page.locator('html').getAttribute('lang'),
      title: await page.title(),
      headings: await page.getByRole('heading', { level: 1 }).count(),
      mains: await page.getByRole('main').count(),
      buttons: await page.getByRole('button', { name: 'Show the credentials' }).count(),
    };
    await close();

    expect(described).to.deep.equal({
      language: 'en',
      title: 'Credentials of Example',
      headings: 1,
      mains: 1,
      buttons: 1,
    });
  });

  async function approvedLink(): Promise<string> {
    const admin = await service.admin();
    const email = `${fresh('dev')}@example.com`;
    const json = { company_name: 'Example', slug: fresh('tenant'), contact_email: email, use_case: 'Trying' };
    const { body } = await service.ask('POST', '/v2/app-requests', { json });
    await admin.ask('POST', `/v2/admin/app-requests/${body.request_id}/approve`, {
      json: { entity_hotkey: fresh('hotkey') },
    });
    return linkIn((await service.mailTo(email)).text);
  }
});
