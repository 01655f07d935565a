import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { openEach, type TestConsole } from '../support/console.ts';
import { codeOf, fresh, type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

describe('access in the console', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  openEach(
    () => startIdentity(),
    async (opened) => {
      ({ service, desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  /** Presses a button of the open dialog. */
  const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const secretShown = async (label: string) => {
    const shown = page.locator('.once', { hasText: label }).locator('.secret');
    const secret = await shown.innerText();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    return secret;
  };

  it('finds what an id or an e-mail address names, and leads from there to its relatives', async () => {
    const app = await service.app();
    const email = `${fresh('customer')}@example.com`;
    await service.db.query(
      sql.unsafe`insert into users (id, app_id, email) values (${`usr_${email}`}, ${app.appId}, ${email})`,
    );
    await page.getByLabel('Find by id or address').fill(email.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: `User usr_${email}` }).waitFor();
    await page.getByRole('link', { name: app.appId }).click();
    await page.getByRole('heading', { level: 2, name: `App ${app.appId}` }).waitFor();
    await page.getByLabel('Find by id or address').fill('nothing-has-this');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nothing is named nothing-has-this.').waitFor();
  });

  it('shows in the audit who acted and on what, by name, and leads to both', async () => {
    const app = await service.app();
    await operator.ask('POST', `/v2/admin/apps/${app.appId}/disable`);
    await desk.show(`audit?subject=${app.appId}`);
    const row = page.getByRole('row').filter({ hasText: 'app.disable' });
    const shown = await row.innerText();
    await row.getByRole('link', { name: operator.adminId }).click();
    await page.getByRole('heading', { level: 2, name: `Operator ${operator.adminId}` }).waitFor();
    await page.goBack();
    await row.getByRole('link', { name: app.appId }).click();
    await page.getByRole('heading', { level: 2, name: `App ${app.appId}` }).waitFor();

    expect(shown).to.include(operator.email).and.include('Example app');
  });

  it('registers an app, changes it, rotates its secret, disables and enables it', async () => {
    const slug = fresh('tenant');
    const found = async () => {
      const { body } = await operator.ask('GET', '/v2/admin/apps');
      return body.find((app: { slug: string }) => app.slug === slug);
    };
    await desk.show('apps');

    await page.getByRole('button', { name: 'Register an app' }).click();
    await page.getByLabel('Name').fill('Brightwater');
    await page.getByLabel('Slug').fill(slug);
    await page.getByLabel('webhooks').check();
    await confirm('Register');
    const first = await secretShown('Client secret');
    await desk.waitForText('Brightwater is registered.');
    const { app_id: appId } = await found();
    await page.getByRole('button', { name: `Settings: ${slug}` }).click();
    await page.getByLabel('Connect return address').fill('https://brightwater.example/back');
    await page.getByLabel('Identity verification').selectOption('full');
    await confirm('Save');
    await desk.waitForText('Settings: Brightwater. Done.');
    const changed = await found();
    await page.getByRole('button', { name: `Rotate secret: ${slug}` }).click();
    await page.getByLabel('Overlap in seconds').fill('0');
    await confirm('Rotate');
    const second = await secretShown('Client secret');
    const tokens = [await service.token({ appId, secret: first }), await service.token({ appId, secret: second })];
    await page.getByRole('button', { name: `Disable: ${slug}` }).click();
    await confirm('Disable');
    await desk.waitForText('Disable: Brightwater. Done.');
    const disabled = await found();
    await page.getByRole('button', { name: `Enable: ${slug}` }).click();
    await confirm('Enable');
    await desk.waitForText('Enable: Brightwater. Done.');

    expect(changed).to.deep.include({
      allowed_scopes: ['api', 'webhooks'],
      connect_return_url: 'https://brightwater.example/back',
      verification_level: 'full',
    });
    expect(tokens.map(({ status }) => status)).to.deep.equal([401, 200]);
    expect([disabled.active, (await found()).active]).to.deep.equal([false, true]);
  });

  it('declines a request with a reason, and mails the link of an approved one again', async () => {
    const [declined, approved] = [fresh('tenant'), fresh('tenant')];
    for (const slug of [declined, approved]) {
      const json = { company_name: slug, slug, contact_email: `${slug}@example.com`, use_case: 'Trying' };
      const { body } = await service.ask('POST', '/v2/app-requests', { json });
      const approve = { json: { entity_hotkey: fresh('hotkey') } };
      if (slug === approved) await operator.ask('POST', `/v2/admin/app-requests/${body.request_id}/approve`, approve);
    }
    await desk.show('requests');

    await page.getByRole('button', { name: `Decline: ${declined}` }).click();
    await page.getByLabel('Reason').fill('no one responds there');
    await confirm('Decline');
    await desk.waitForText(`Decline: ${declined}. Done.`);
    await page.getByLabel('State').selectOption('every');
    await page.getByRole('button', { name: 'Show' }).click();
    const row = page.getByRole('row', { name: declined });
    const reported = await row.innerText();
    await page.getByRole('button', { name: `Mail a new link: ${approved}` }).click();
    await confirm('Mail a new link');
    await desk.waitForText(`Mail a new link: ${approved}. Done.`);

    expect(reported).to.include('declined').and.include('no one responds there');
    expect(page.url()).to.include('status=every');
    const { body } = await operator.ask('GET', '/v2/admin/audit?limit=5');
    expect(body[0].action).to.match(/reissue/);
  });

  it('creates a partner, whose key is valid until the partner is disabled', async () => {
    const name = fresh('Partner');
    await desk.show('partners');

    await page.getByRole('button', { name: 'Make a partner' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Label of the key').fill('production');
    await confirm('Make');
    const key = await secretShown('Partner key');
    const enrollments = () => service.ask('GET', '/v1/sessions', { headers: { Authorization: `Bearer ${key}` } });
    const before = await enrollments();
    await page.getByRole('button', { name: `Disable: ${name}` }).click();
    await confirm('Disable');
    await desk.waitForText(`Disable: ${name}. Done.`);
    const after = await enrollments();
    await page.getByRole('link', { name }).click();
    await page.getByRole('table', { name: `Keys of ${name}` }).waitFor();
    await page.getByRole('button', { name: 'Change the partner' }).click();
    await page.getByLabel('Requests a minute').fill('120');
    await confirm('Change');
    await desk.waitForText(`${name} is changed.`);

    expect([before.status, after.status]).to.deep.equal([200, 401]);
    const { body: partners } = await operator.ask('GET', '/v2/admin/partners?limit=500');
    const changed = partners.find((partner: { name: string }) => partner.name === name);
    expect(changed).to.include({ requests_per_minute: 120, contact_email: null, active: false });
    expect(await page.getByRole('rowheader').innerText()).to.equal(`${key.slice(0, 8)}…`);
  });

  it('releases an operator, removes a user’s authenticator and moves a wallet link, each with a reason', async () => {
    const user = await service.user(await service.app());
    const locked = await service.admin();
    const { secret } = (await user.ask('POST', '/v2/auth/totp/enroll')).body;
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(secret) } });
    const act = async (title: string, button: string, values: Record<string, string>) => {
      await page.getByRole('button', { name: title }).click();
      for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('dialog').getByLabel('Reason').fill('called back');
      await confirm(button);
    };
    await desk.show('recovery');

    await act('Release an operator', 'Release', { Operator: locked.adminId });
    await desk.waitForText(`${locked.adminId} may try codes again.`);
    await act('Remove a user’s authenticator', 'Remove', { User: user.userId });
    await desk.waitForText(`The authenticator of ${user.userId} is removed.`);
    await act('Move a wallet link', 'Move', { Wallet: `0x${'ab'.repeat(20)}`, Partner: 'ptn_nobody' });
    const failure = await page.getByRole('dialog').getByRole('alert').innerText();

    expect(failure).not.to.equal('');
    const { body } = await operator.ask('GET', '/v2/admin/audit?limit=3');
    expect(body.map(({ action, subject, detail }: Entry) => [action, subject, detail.why])).to.deep.equal([
      ['moveWalletLink', `0x${'ab'.repeat(20)}`, 'called back'],
      ['user.remove_authenticator', user.userId, 'called back'],
      ['admin.release', locked.adminId, 'called back'],
    ]);
  });
});

type Entry = { action: string; subject: string; detail: { why?: string } };
