import { expect } from 'chai';
import { sql } from 'slonik';
import { needsBrowser } from '../support/browser.ts';
import { openConsole, type TestConsole } from '../support/console.ts';
import { fromMinuteStart } from '../support/figures.ts';
import { type Identity, startIdentity } from '../support/identity.ts';
import { eventually } from '../support/money.ts';

const TITLE = 'Order verbs that ended, per second';
/** The colours of a canvas that are not transparent. */
const PAINTED = `[...document.querySelectorAll('canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let n = 0; n < data.length; n += 4) if (data[n + 3] === 255) colours.add(data.slice(n, n + 3).join());
  return colours.size;
})`;

describe('the console’s charts', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  before(async function () {
    needsBrowser(this);
    service = await startIdentity({}, false); // a worker would write figures of its own
    desk = await openConsole(service);
    await desk.logIn();
  });
  beforeEach(async () => {
    await fromMinuteStart(15_000); // the charts end with the last minute that is over
    await service.db.query(sql.unsafe`truncate figures`);
    await service.db.query(sql.unsafe`
      insert into figures (width_s, at, figure, label, value)
      select w, date_bin(make_interval(secs => w), now(), 'epoch') - make_interval(secs => w * s), f, l, s * n
      from unnest(array[60, 300]) w, generate_series(1, 30) s,
        unnest(array['orders_per_second', 'settle_p50_seconds', 'settle_p99_seconds']) f,
        unnest(array['netvenue', 'exvenue']) with ordinality as labels (l, n)`);
  });
  after(async () => {
    await desk?.close();
    await service?.stop();
  });

  const section = (title = TITLE) => desk.page.locator('section').filter({ hasText: title });

  it('draw the last hour, with its last values in words, under the page’s own policy', async () => {
    await desk.show('charts');
    await section().getByRole('img').waitFor();
    const painted = await desk.page.evaluate<number[]>(PAINTED);

    expect(await section().getByRole('img').getAttribute('aria-label')).to.equal(`${TITLE}: Exchange 2, Network 1`);
    expect(await section().locator('.legend').innerText()).to.match(/Exchange: 2\s+Network: 1/);
    expect(painted)
      .to.have.length(2)
      .and.satisfy((counts: number[]) => counts.every((count) => count > 2));
    expect(await section('Used budget').innerText()).to.include('Nothing was measured.');
    expect(desk.complaints).to.deep.equal([]);
  });

  it('show the values under the pointer, and fit the page', async () => {
    await desk.show('charts');
    const over = section().locator('.u-over');
    const { width = 0, height = 0 } = (await over.boundingBox()) ?? {};
    await over.hover({ position: { x: (width * 45) / 59, y: height / 2 } }); // 45 of 59 steps: the 15th from the end
    const pointed = await section().locator('.legend').innerText();
    await desk.page.setViewportSize({ width: 400, height: 900 });
    await eventually(() => desk.page.evaluate<boolean>("document.querySelector('.uplot').offsetWidth < 400"));
    const overflow = await desk.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await desk.page.setViewportSize({ width: 1280, height: 900 });

    expect(pointed).to.match(/Exchange: 30\s+Network: 15/);
    expect(overflow).to.equal(0);
  });

  it('show a day, and the same as tables', async () => {
    await desk.show('charts');
    await desk.page.getByRole('link', { name: 'Last day' }).click();
    await desk.page.locator('a[aria-current=true]', { hasText: 'Last day' }).waitFor();
    await desk.page.getByRole('link', { name: 'Tables' }).click();
    const rows = desk.page.getByRole('table', { name: TITLE }).locator('tbody tr');
    await rows.first().waitFor();

    expect(await rows.count()).to.equal(288);
    expect(await rows.nth(2).locator('td').allInnerTexts()).to.deep.equal(['6', '3']);
    expect(await rows.nth(40).locator('td').allInnerTexts()).to.deep.equal(['–', '–']);
    expect(await desk.page.locator('canvas').count()).to.equal(0);
    expect(desk.complaints).to.deep.equal([]);
  });
});
