import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { openEach, type TestConsole } from '../support/console.ts';
import { fresh, startIdentity, type TestAdmin } from '../support/identity.ts';

describe('an operator in haste', function () {
  this.timeout(90_000);
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  openEach(
    () => startIdentity({}, false),
    async (opened) => {
      ({ desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  const dialog = () => page.getByRole('dialog');
  const find = async (path: string, member: string, value: string) => {
    const { body } = await operator.ask('GET', `${path}?limit=500`);
    return body.find((row: Record<string, unknown>) => row[member] === value);
  };
  const beginPartner = async (name: string) => {
    await desk.show('partners');
    await page.getByRole('button', { name: 'Make a partner' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Make', exact: true }).click();
  };

  it('does not cancel what runs, whose key would be shown to nobody', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v2/admin/partners', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await beginPartner(fresh('Hasty'));
    const isStopped = await page.getByRole('button', { name: 'Cancel' }).isDisabled();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    release();
    await dialog().locator('.secret').waitFor();

    expect(isStopped).to.equal(true);
  });

  it('is told of no success by a response that was cut or is of a gateway', async () => {
    const name = fresh('Cut');
    const gateway = (route: Route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome</h1>' })
        : route.continue();
    await page.route('**/v2/admin/partners', gateway);
    await beginPartner(name);
    await dialog().getByRole('alert').filter({ hasText: 'NO_RESPONSE' }).waitFor();
    await page.unroute('**/v2/admin/partners');
    await page.route('**/v2/admin/partners', (route) =>
      route.fulfill({ status: 504, headers: { 'Retry-After': '30' }, body: 'Gateway time-out' }),
    );
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await dialog()
      .getByRole('alert')
      .filter({ hasText: 'nothing is done twice. (HTTP_504, retry after 30 s)' })
      .waitFor();
    desk.complaints.splice(0);
    await page.unroute('**/v2/admin/partners');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await dialog().locator('.secret').waitFor();

    expect(await find('/v2/admin/partners', 'name', name)).to.not.equal(undefined);
  });

  it('reads again with the filter, the search or the menu that was pressed before', async () => {
    await desk.show('deliveries');
    await page.route('**/v2/admin/deliveries*', (route) => route.abort());
    await page.getByLabel('App or partner').fill('app_nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('alert').filter({ hasText: 'NO_RESPONSE' }).waitFor();
    await page.unroute('**/v2/admin/deliveries*');
    const reads = async (path: string, press: () => Promise<void>) => {
      const [request] = await Promise.all([page.waitForRequest(`**${path}*`), press()]);
      return request.url();
    };

    const shown = await reads('/v2/admin/deliveries', () => page.getByRole('button', { name: 'Show' }).click());
    await page.getByText('No delivery in this state.').waitFor();
    await desk.show('tiers');
    await reads('/v2/admin/tiers', () => page.getByRole('link', { name: 'Tiers' }).click());
    for (let nth = 1; nth <= 2; nth += 1) {
      await page.getByRole('searchbox').fill('usr_nobody');
      await reads('/v2/admin/search', () => page.getByRole('button', { name: 'Find' }).click());
    }

    expect(shown).to.include('app_nobody');
    expect(desk.complaints.splice(0).join()).to.match(/^Failed to load resource: net::ERR_FAILED$/);
  });

  it('changes nothing back that was changed since the page was read', async () => {
    const tier_id = `tier_${fresh('stale').toLowerCase().replace(/\W/g, '_')}`;
    const terms = {
      market: 'crypto',
      asset_class: 'crypto',
      account_size: 5_000,
      amount_cents: 4_900,
      currency: 'usd',
    };
    const put = (changed: object) =>
      operator.ask('PUT', `/v2/admin/tiers/${tier_id}`, { json: { ...terms, ...changed } });
    const slug = fresh('stale');
    const json = { name: 'Stale', slug, scopes: ['api', 'payouts:write'] };
    const { body: app } = await operator.ask('POST', '/v2/admin/apps', { json });
    const path = `/v2/admin/apps/${app.app_id}`;
    await put({});
    await desk.show('tiers');
    await put({ amount_cents: 9_900 });
    await page.getByRole('button', { name: `Take off sale: ${tier_id}` }).click();
    await dialog().getByRole('button', { name: 'Take off sale' }).click();
    await desk.waitForText('is not on sale');
    await desk.show('apps');
    await operator.ask('PATCH', path, { json: { allowed_scopes: ['api'] } });
    await page.getByRole('button', { name: `Settings: ${slug}` }).click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Nothing is changed.').waitFor();
    await page.getByLabel('Name').fill('Fresh');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await desk.waitForText('Done.');

    expect(await find('/v2/admin/tiers', 'tier_id', tier_id)).to.include({ amount_cents: 9_900, active: false });
    expect(await find('/v2/admin/apps', 'slug', slug)).to.deep.include({ name: 'Fresh', allowed_scopes: ['api'] });
  });
});
