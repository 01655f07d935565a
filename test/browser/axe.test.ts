import { expect } from 'chai';
import { sql } from 'slonik';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { openConsole, type TestConsole } from '../support/console.ts';
import { listEverything } from '../support/listed.ts';
import { startTrading, type Trading } from '../support/trading.ts';

/** An id of each view that has a page per id. A new one has to be entered here. */
const IDS = {
  intents: sql.unsafe`select id from intents order by created_at desc limit 1`,
  users: sql.unsafe`select user_id from payouts limit 1`,
  partners: sql.unsafe`select partner_id from partner_keys limit 1`,
};

describe('axe finds nothing', function () {
  this.timeout(240_000); // about 20 s for all pages on a quiet machine, 2 runs of axe on each
  let service: Trading;
  let desk: TestConsole;
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
    await listEverything(service); // two entries in every list
    desk = await openConsole(service, { bypassCSP: true });
    await addAxe(desk.context);
  });
  after(async () => {
    await desk?.close();
    await service?.stop();
  });

  it('except what is there: a picture without a text, a faint word, a page that is too wide', async () => {
    const { page } = desk;
    await page.goto(`${service.url}/docs`);
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<img src="/admin/icon.svg"><p style="color: #999; background: #fff; width: 3000px">faint</p>')`);

    const found = (await faultsOf(page, 'docs')).join();

    expect(found)
      .to.include('docs at 320: wider')
      .and.include('320 light: image-alt')
      .and.include('320 light: color-contrast')
      .and.include('1600 dark: color-contrast');
  });

  it('on a page of /docs, at any width, in light and in dark', async () => {
    const { page } = desk;
    await page.goto(`${service.url}/docs`);
    const paths = await page.evaluate<string[]>(
      "[...new Set([...document.querySelectorAll('nav a')].map(({ pathname }) => pathname))].filter((path) => /^\\/docs[^.]*$/.test(path))",
    );
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(service.url + (path === '/docs/reference' ? `${path}#submitNetvenueOrder` : path)); // one is open
      await page.getByRole('heading', { level: 1 }).waitFor();
      found.push(...(await faultsOf(page, path)));
    }

    expect(paths).to.include('/docs/reference').and.have.length.above(15);
    expect(found).to.deep.equal([]);
  });

  it('in a view of the console, at any width, in light and in dark', async () => {
    const { page } = desk;
    await page.goto(desk.url);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const found = await faultsOf(page, 'the log-in');
    await desk.enter(await service.admin());
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const views = await desk.views();
    const ofOne = views.filter(({ titleOfOne }) => titleOfOne).map(({ name }) => name);
    const ones = await Promise.all(
      Object.entries(IDS).map(async ([name, query]) => `${name}/${await service.db.oneFirst(query)}`),
    );
    const user = ones.find((name) => name.startsWith('users/'))?.split('/')[1];
    for (const name of [...views.map((view) => view.name), ...ones, `search?q=${user}`, 'charts?as=tables']) {
      await desk.show(name);
      found.push(...(await faultsOf(page, `#/${name}`)));
    }

    expect(ofOne).to.have.members(Object.keys(IDS));
    expect(found).to.deep.equal([]);
  });
});
