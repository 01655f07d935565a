import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openEach, type TestConsole } from '../support/console.ts';
import { appForPayouts, type Earner, earner } from '../support/foreign.ts';
import { codeOf, type TestAdmin } from '../support/identity.ts';
import { startTrading, type Trading } from '../support/trading.ts';

describe('users in the console', function () {
  this.timeout(60_000);
  let service: Trading;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  let user: Earner;
  openEach(
    async () => {
      service = await startTrading();
      user = await earner(service, await appForPayouts(service));
      return service;
    },
    async (opened) => {
      ({ service, desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  const confirm = async (button: string) => {
    await page.getByLabel('Reason').fill('asked on the phone');
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  };
  const actions = async () => {
    const { body } = await operator.ask('GET', `/v2/admin/audit?subject=${user.userId}`);
    return body.map(({ action }: { action: string }) => action);
  };

  it('leads from a search to the page of a user, and from its rows to their records', async () => {
    await page.getByLabel('Find by id or address').fill(user.email);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Its accounts, payments, payouts and sessions' }).click();
    await page.getByRole('heading', { level: 2, name: user.email }).waitFor();
    const shown = await page.getByRole('main').innerText();
    await page.getByRole('table', { name: 'Payouts' }).getByRole('link', { name: user.account }).click();
    await page.getByRole('heading', { level: 2, name: `Prop account ${user.account}` }).waitFor();
    await page.getByRole('link', { name: user.userId }).click();
    await page.getByRole('heading', { level: 2, name: user.email }).waitFor();

    expect(shown).to.include('verified').and.include('funded').and.include('$10.00').and.include('Authenticator\nnone');
    expect(page.url()).to.match(new RegExp(`#/users/${user.userId}$`));
  });

  it('finds users by address in its own view, and copies an id whole', async () => {
    await desk.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await desk.show('users');
    await page.getByLabel('Id or e-mail address').fill(user.email);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('table', { name: 'Users found' }).getByRole('link', { name: user.userId }).click();
    await page.getByRole('button', { name: `Copy ${user.userId}` }).click();
    await desk.waitForText('Copied');

    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(user.userId);
  });

  it('removes the authenticator and ends the sessions of a user, with a reason', async () => {
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret) } });
    await desk.show(`users/${user.userId}`);

    await page.getByRole('button', { name: 'Remove the authenticator' }).click();
    await confirm('Remove');
    await desk.waitForText(`The authenticator of ${user.email} is removed.`);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await confirm('End');
    await desk.waitForText('Sessions ended: 1.');
    await page.getByText('No open session.').waitFor();

    expect((await user.ask('GET', '/v2/auth/me')).status).to.equal(401);
    expect(await actions()).to.deep.equal(['user.end_sessions', 'user.remove_authenticator']);
  });
});
