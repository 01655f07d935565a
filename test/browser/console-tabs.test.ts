import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openEach, type TestConsole } from '../support/console.ts';
import { fresh, type Identity, startIdentity } from '../support/identity.ts';

describe('a tab of the console', function () {
  this.timeout(90_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  openEach(
    () => startIdentity({}, false),
    (opened) => {
      ({ service, desk, page } = opened);
    },
  );

  it('whose address has a percent sign that escapes nothing opens, and its menu leads on', async () => {
    await desk.logIn();
    await page.goto(`${desk.url}#/intents/%zz`);
    await page.reload();
    await page.getByRole('main').getByRole('alert').filter({ hasText: '(' }).waitFor();
    await page.getByRole('link', { name: 'Tiers' }).click();

    await page.getByRole('heading', { level: 1, name: 'Tiers' }).waitFor();
  });

  it('acts for nobody else after another operator has logged in in a second tab: it becomes a page of theirs', async () => {
    const first = await desk.logIn();
    await desk.show('partners');
    await page.getByRole('button', { name: 'Make a partner' }).click();
    const name = fresh('Typed by the first');
    await page.getByLabel('Name').fill(name);
    const second = await service.admin();
    const other = await desk.context.newPage();
    await other.goto(desk.url);
    await other.getByRole('button', { name: 'Log out' }).click();
    await logInAt(other, second);

    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.locator('#who', { hasText: second.email }).waitFor();
    const { body } = await second.ask('GET', '/v2/admin/partners?limit=500');

    expect(body.filter((partner: { name: string }) => partner.name === name)).to.deep.equal([]);
    expect(await page.locator('#who').innerText()).not.to.include(first.email);
  });

  it('without a form open shows the other operator at once', async () => {
    await desk.logIn();
    const second = await service.admin();
    const other = await desk.context.newPage();
    await other.goto(desk.url);
    await other.getByRole('button', { name: 'Log out' }).click();
    await logInAt(other, second);

    await page.locator('#who', { hasText: second.email }).waitFor();
  });

  /** Logs an operator in, on another page than the desk's own. */
  const logInAt = async (at: Page, operator: Awaited<ReturnType<Identity['admin']>>) => {
    await desk.enter(operator, undefined, at);
    await at.locator('#who', { hasText: operator.email }).waitFor();
  };
});
