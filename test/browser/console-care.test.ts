import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { accessibilityFaults, lowContrast, overflow } from '../support/browser.ts';
import { abandonedOrder, openEach, type TestConsole } from '../support/console.ts';
import { fresh, type Identity, startIdentity } from '../support/identity.ts';
import { until } from '../support/processes.ts';

describe('the quality of the console', function () {
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

  it('is readable in either color scheme, labelled for screen readers, and fits 320 pixels, in every view', async () => {
    await abandonedOrder(service);
    const slug = fresh('seen');
    const json = { company_name: 'Example', slug, contact_email: `${slug}@example.com`, use_case: 'Trying' };
    await service.ask('POST', '/v2/app-requests', { json });
    await page.goto(desk.url);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const found = [await accessibilityFaults(page), await lowContrast(page)];
    await desk.logIn();
    const views = [...(await desk.views()).map(({ name }) => name), 'search?q=op%40example.com'];

    for (const colorScheme of ['light', 'dark'] as const)
      for (const view of views) {
        await page.emulateMedia({ colorScheme });
        await desk.show(view);
        found.push(
          [...(await accessibilityFaults(page)), ...(await lowContrast(page))].map(
            (fault) => `${colorScheme} ${view}: ${fault}`,
          ),
        );
      }
    await page.getByRole('link', { name: 'Access requests' }).click();
    await page.getByRole('button', { name: `Approve: ${slug}` }).click();
    found.push(await accessibilityFaults(page), await lowContrast(page));
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 640 });
    const wide: string[] = [];
    for (const view of views) {
      await desk.show(view);
      if ((await overflow(page)) > 0) wide.push(view);
      found.push(await accessibilityFaults(page));
    }

    expect(found.flat()).to.deep.equal([]);
    expect(wide).to.deep.equal([]);
  });

  it('reloads the overview automatically, but not while it is paused or hidden, and not indefinitely', async () => {
    let reads = 0;
    let responses = 0;
    const isRead = (request: Request) => request.url().endsWith('/v2/admin/queue');
    page.on('request', (request) => {
      if (isRead(request)) reads += 1;
    });
    const countEnd = (request: Request) => {
      if (isRead(request)) responses += 1;
    };
    page.on('requestfinished', countEnd);
    page.on('requestfailed', countEnd); // the clock that is run forward ends a read that is under way
    await page.clock.install();
    await desk.logIn();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.clock.pauseAt(Date.now() + 60_000); // from here on time passes only where the test advances it
    const readsAfter = async (seconds: number) => {
      const before = reads;
      await page.clock.runFor(seconds * 1_000);
      // the next read is scheduled by the response to the last one
      await until('every response', () => responses === reads);
      // earlier requests have been counted
      await page.evaluate('new Promise((resolve) => fetch("/admin/icon.svg").then(resolve))');
      return reads - before;
    };

    await readsAfter(0);
    const running = await readsAfter(5);
    await page.getByRole('button', { name: 'Pause' }).click();
    const paused = await readsAfter(60);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    const whileInvisible = await readsAfter(60);
    await page.evaluate('delete document.hidden');
    const again = await readsAfter(5);
    await readsAfter(600);
    const left = await readsAfter(60);

    expect([running, paused, whileInvisible, again, left]).to.deep.equal([1, 0, 0, 1, 0]);
  });

  it('reports what could not be read before a dialog, and opens one dialog for a button that is pressed twice', async () => {
    await desk.logIn();
    await desk.show(`intents/${await abandonedOrder(service)}`);
    const failing = { status: 422, json: { error: { code: 'V2_THROTTLED', message: 'Too many requests.' } } };
    const rejected = () => page.getByText('V2_THROTTLED').waitFor();

    await page.route('**/v2/admin/intents/*', (route) => route.fulfill(failing));
    await page.getByRole('button', { name: 'Run it once more' }).click();
    await rejected();
    await page.unroute('**/v2/admin/intents/*');
    await page.getByRole('button', { name: 'Run it once more' }).dblclick();
    await page.getByRole('dialog').waitFor();
    await page.waitForLoadState('networkidle');
    const dialogs = await page.getByRole('dialog').count();
    await page.keyboard.press('Escape');
    await desk.show('intents');
    await page.route('**/v2/admin/reruns*', (route) => route.fulfill(failing));
    await page.getByRole('button', { name: 'Re-run the open ones' }).click();
    await rejected();

    expect(dialogs).to.equal(1);
  });

  it('is checked by tests that can fail', async () => {
    const faulty = '<button></button><table><tr><td>x</td></tr></table><h1 id="a">a</h1><h1 id="a">b</h1>';
    await page.setContent(
      `${faulty}<p style="color: #999; width: 3000px">faint</p><input style="border-color: #eee" aria-label="x">`,
    );

    const [names, contrast, width] = [await accessibilityFaults(page), await lowContrast(page), await overflow(page)];

    expect(names.map((line) => line.trim())).to.include.members(['- button', '2 first headings', 'two of #a']);
    expect(contrast.join())
      .to.match(/P faint: 2\.8/)
      .and.include('the edge of INPUT');
    expect(width).to.be.above(1_000);
  });

  it('would report a foreign script', async () => {
    await desk.logIn();

    const reported = await page.evaluate<string>(`(() => {
      try { document.body.innerHTML = '<p>no</p>'; return 'made'; } catch (error) { return error.name; }
    })()`);
    await page.evaluate(
      "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))",
    );
    const complaints = desk.complaints.splice(0);

    expect(reported).to.equal('TypeError');
    expect(complaints.join()).to.include('Content Security Policy');
  });
});
