import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { openConsole, openEach, type TestConsole } from '../support/console.ts';
import { appForPayouts, earner } from '../support/foreign.ts';
import { codeOf, fresh, PASSWORD, type TestAdmin, tokenIn } from '../support/identity.ts';
import { startTrading, type Trading } from '../support/trading.ts';

describe('operators in the console', function () {
  this.timeout(60_000);
  let service: Trading;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  openEach(
    () => startTrading({ settings: { DUAL_CONTROL_CENTS: '0' } }),
    async (opened) => {
      ({ service, desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  const confirm = async (button: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('agreed on the phone');
    await dialog.getByRole('button', { name: button, exact: true }).click();
  };

  it('are invited with the approval of a second one, and set a password from the mailed link', async () => {
    const other = await service.admin();
    const email = `${fresh('invited')}@example.com`;
    await desk.show('operators');
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByLabel('Role').selectOption('finance');
    await confirm('Invite');
    await dialog.getByText('V2_APPROVAL_REQUIRED').waitFor();
    const [asked] = (await other.ask('GET', '/v2/admin/approvals?open=true')).body;
    await other.ask('POST', `/v2/admin/approvals/${asked.approval_id}/approve`, { json: { reason: 'known' } });
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await desk.waitForText(`${email} is invited.`);

    const token = tokenIn((await service.mailTo(email)).text);
    const another = await openConsole(service);
    const { page: newcomer } = another;
    await newcomer.goto(`${desk.url}#/invitation?token=${token}`);
    await newcomer.getByLabel('New password').fill(PASSWORD);
    await newcomer.getByRole('button', { name: 'Set', exact: true }).click();
    await newcomer.getByLabel('E-mail address').fill(email);
    await newcomer.getByLabel('Password').fill(PASSWORD);
    await newcomer.getByRole('button', { name: 'Log in' }).click();
    const secret = await newcomer.locator('#totp-secret').innerText();
    await newcomer.getByLabel('Code of your authenticator').fill(codeOf(secret));
    await newcomer.getByRole('button', { name: 'Confirm' }).click();
    await newcomer.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    expect(newcomer.url()).not.to.include(token);
    await another.close();
    const role = await service.db.oneFirst(sql.unsafe`select role from admins where email = ${email}`);
    expect(role).to.equal('finance');
  });

  it('decide what others ask for, and disable others', async () => {
    const other = await service.admin();
    await other.ask('POST', '/v2/admin/partners', { json: { name: 'Waits' } });
    await desk.show('approvals');
    await page.getByRole('row', { name: 'Waits' }).getByRole('button', { name: 'Approve' }).click();
    await confirm('Approve');
    await desk.waitForText('registerPartner: approved.');

    await desk.show('operators');
    await page.getByRole('row', { name: other.email }).getByRole('button', { name: 'Disable' }).click();
    await confirm('Disable');
    await desk.waitForText(`${other.email} is disabled.`);

    expect((await other.ask('GET', '/v2/admin/me')).status).to.equal(401);
    expect((await operator.ask('GET', '/v2/admin/me')).status).to.equal(200);
  });

  it('detach the payout account of a user, who gets a mail', async () => {
    const user = await earner(service, await appForPayouts(service));
    await desk.show(`users/${user.userId}`);

    await page.getByRole('button', { name: 'Detach the payout account' }).click();
    await confirm('Detach');
    await desk.waitForText(`The payout account of ${user.email} is detached.`);

    expect((await user.ask('GET', '/v2/connect/accounts')).body).to.deep.equal([]);
  });
});
