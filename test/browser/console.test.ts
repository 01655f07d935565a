import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { otpauthUri } from '../../src/kernel/totp.ts';
import { focused, tabTo } from '../support/browser.ts';
import { caller } from '../support/caller.ts';
import { abandonedOrder, openEach, type TestConsole } from '../support/console.ts';
import { codeOf, fresh, type Identity, PASSWORD, startIdentity } from '../support/identity.ts';
import { effectsUnder } from '../support/orders.ts';
import { readQrCode } from '../support/qr.ts';

describe('the console in a browser', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  openEach(
    () => startIdentity({}, false),
    (opened) => {
      ({ service, desk, page } = opened);
    },
  );

  it('lets an operator enroll, find an abandoned job, understand it, run it again and see it finish, with the keyboard alone', async () => {
    const operator = await service.admin(false);
    const id = await abandonedOrder(service);
    const { keyboard } = page;

    await page.goto(desk.url);
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await keyboard.type(operator.email);
    await tabTo(page, 'Password');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await page.locator('#totp-secret').waitFor();
    await page.reload(); // a session before the enrollment allows nothing else
    const secret = await page.locator('#totp-secret').innerText();
    const drawn = await page.locator('.qr path').getAttribute('d');
    await keyboard.type(codeOf(secret));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const arrived = await focused(page);
    await page.locator('#open-queued-network\\/place').waitFor();
    await tabTo(page, '1');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Troubled intents' }).waitFor();
    await page.getByRole('table', { name: 'Intents, newest first' }).waitFor();
    await tabTo(page, id);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Story of an intent' }).waitFor();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const story = await page.getByRole('main').innerText();
    await tabTo(page, /^Run it once more/);
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Run an intent once more' });
    const preview = await dialog.innerText();
    await keyboard.type('its job was given up');
    await tabTo(page, 'Run it once more');
    await keyboard.press('Enter');
    await desk.waitForText('would be queued again');
    const worker = await service.startWorker();
    await page.locator('.badge', { hasText: 'succeeded' }).waitFor();
    await worker.stop();

    expect(readQrCode(String(drawn))).to.equal(
      otpauthUri(secret, { issuer: 'Trading Partner Service', account: operator.email }),
    );
    expect(arrived.name).to.equal('Overview');
    expect(story)
      .to.include('given up')
      .and.include('No: nothing has left.')
      .and.match(/Assessment\s+safe/);
    expect(preview).to.include('No: nothing has left.').and.include('Reason');
    expect(effectsUnder(service, id)).to.have.length(1);
    const stored = await (await service.admin()).ask('GET', `/v2/admin/audit?subject=${id}`);
    expect(stored.body[0]).to.include({ actor: `admin:${operator.adminId}`, subject: id });
    expect(JSON.stringify(stored.body[0].detail)).to.include('its job was given up');
  });

  it('approves a request, and gives a partner a key that is shown once and revoked at once', async () => {
    const slug = fresh('tenant');
    const json = { company_name: 'Example', slug, contact_email: `${slug}@example.com`, use_case: 'Trying' };
    const submitted = await service.ask('POST', '/v2/app-requests', { json });
    const { key: first, partner_id } = await createPartner(service.db, fresh('Partner'));
    const operator = await desk.logIn();

    await page.getByRole('link', { name: 'Access requests' }).click();
    await page.getByRole('button', { name: `Approve: ${slug}` }).click();
    await page.getByLabel('Entity hotkey').fill('no hotkey');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    const isInvalid = await page.evaluate('document.querySelector("[name=entity_hotkey]:invalid") !== null');
    await page.getByLabel('Entity hotkey').fill(fresh('hotkey'));
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await desk.waitForText('Approve: Example. Done.');
    await desk.show(`partners/${partner_id}`);
    await page.getByRole('button', { name: 'Mint a key' }).click();
    await page.getByLabel('Label').fill('second');
    await page.getByRole('dialog').getByRole('button', { name: 'Mint' }).click();
    const key = await page.locator('.secret').innerText();
    await desk.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy partner key' }).click();
    await page.getByRole('dialog').getByText('Copied').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await desk.waitForText('The key is minted.');
    const minted = await partnerStatus(key);
    const whole = await page.content();
    await page.getByRole('button', { name: 'Revoke: second' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await desk.waitForText('is revoked');

    expect(isInvalid).to.equal(true);
    const { body } = await operator.ask('GET', '/v2/admin/app-requests?status=approved');
    expect(body.map(({ request_id }: { request_id: string }) => request_id)).to.include(submitted.body.request_id);
    expect(whole).not.to.include(key.slice(12));
    expect([minted, await partnerStatus(key), await partnerStatus(first)]).to.deep.equal([200, 401, 200]);
  });

  it('shows an error with its code, and a wrong code of the authenticator', async () => {
    const slug = fresh('taken');
    const operator = await desk.logIn();
    await operator.ask('POST', '/v2/admin/apps', { json: { name: 'Example', slug } });

    await page.getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('button', { name: 'Register an app' }).click();
    await page.getByLabel('Name').fill('Second');
    await page.getByLabel('Slug').fill(slug);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const reported = await page.getByRole('dialog').getByRole('alert').innerText();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await desk.enter(operator, '000000');
    const rejected = await page.getByRole('alert').innerText();

    expect(reported)
      .to.include('V2_APP_SLUG_TAKEN')
      .and.match(/request [\w-]{8}/);
    expect(rejected).to.include('V2_MFA_INVALID');
  });

  it('asks for a log-in when the session has ended, does nothing meanwhile, and keeps typed input', async () => {
    const operator = await desk.logIn();
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('button', { name: 'Make a partner' }).click();
    const name = fresh('Typed');
    await page.getByLabel('Name').fill(name);
    await endSessions(operator.adminId);

    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.getByText('Your session has ended').waitFor();
    const beneath = await page.getByRole('heading', { level: 1 }).allInnerTexts();
    await desk.enter(operator);
    const reported = await page.getByRole('dialog').getByRole('alert').innerText();
    const before = await partnersNamed(name);
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.locator('.secret').waitFor();

    expect(beneath).to.deep.equal(['Log in']);
    expect(reported).to.include('nothing was done');
    expect(before).to.equal(0);
    expect(await partnersNamed(name)).to.equal(1);
  });

  it('shows another operator nothing of the previous session', async () => {
    const [first, second] = [await desk.logIn(), await service.admin()];
    await desk.show('partners');
    await page.getByRole('button', { name: 'Make a partner' }).click();
    await page.getByLabel('Name').fill('Typed by the first');
    await endSessions(first.adminId);

    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.getByText('Your session has ended').waitFor();
    await desk.enter(second);
    await page.locator('#who', { hasText: second.email }).waitFor();

    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect(await partnersNamed('Typed by the first')).to.equal(0);
  });

  it('does nothing twice when a response was lost and the button is pressed again', async () => {
    await desk.logIn();
    await desk.show('partners');
    const name = fresh('Lost');
    await page.route('**/v2/admin/partners', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Make a partner' }).click();
    await page.getByLabel('Name').fill(name);

    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const reported = await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'NO_RESPONSE' }).innerText();
    await page.unroute('**/v2/admin/partners');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const key = await page.locator('.secret').innerText();
    const complaints = desk.complaints.splice(0);

    expect(reported).to.include('nothing is done twice');
    expect(await partnersNamed(name)).to.equal(1);
    expect(await partnerStatus(key)).to.equal(200);
    expect(complaints.join()).to.match(/^Failed to load resource: net::ERR_FAILED$/);
  });

  it('reports a failure in the middle of a log-in, and starts again', async () => {
    const unenrolled = await service.admin(false);
    await page.route('**/v2/admin/totp/enroll', (route) => route.abort());
    await page.goto(desk.url);
    await page.getByLabel('E-mail address').fill(unenrolled.email);
    await page.getByLabel('Password').fill(PASSWORD);

    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Not logged in' }).waitFor();
    const reported = await page.getByRole('dialog').getByRole('alert').innerText();
    await page.unroute('**/v2/admin/totp/enroll');
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.locator('#totp-secret').waitFor();
    const complaints = desk.complaints.splice(0);

    expect(reported).to.include('NO_RESPONSE');
    expect(complaints.join()).to.match(/^Failed to load resource: net::ERR_FAILED$/);
  });

  const endSessions = (adminId: string) =>
    service.db.query(sql.unsafe`update admin_sessions set revoked_at = now() where admin_id = ${adminId}`);
  const partnerStatus = async (key: string) => (await caller(service.url, key).get('/v1/sessions')).status;
  const partnersNamed = (name: string) =>
    service.db.oneFirst(sql.unsafe`select count(*)::integer as count from partners where name = ${name}`);
});
