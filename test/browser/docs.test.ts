import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { listOperations } from '../../src/contract/document.ts';
import { needsBrowser, openBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the pages at /docs', function () {
  this.timeout(120_000);
  let service: TestService;
  let browser: TestBrowser;
  let page: Page;
  before(async function () {
    needsBrowser(this);
    service = await startService({ worker: false });
    browser = await openBrowser({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } });
    page = browser.page;
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    expect(browser?.complaints ?? []).to.deep.equal([]);
  });

  const open = async (path: string) => {
    await page.goto(service.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  it('find what is searched for: an operation, an error and an event', async () => {
    for (const [query, path, seen] of [
      ['tp-sl', '/docs/reference', 'tp-sl'],
      ['V2_INVALID_SCOPE', '/docs/errors', 'None of the requested scopes is allowed for this app.'],
      ['payment.succeeded', '/docs/webhooks', 'payment.succeeded'],
    ] as const) {
      await open('/docs');
      await page.getByRole('searchbox', { name: 'Search' }).fill(query);
      await page.getByRole('region', { name: 'Search results' }).getByRole('link').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${path}#*`);

      const target = page.locator(':target');
      expect(await target.innerText()).to.include(seen);
      expect(await target.isVisible()).to.equal(true);
    }
  });

  it('filter the reference, whose operations the search of a browser finds', async () => {
    await open('/docs/reference');
    const all = await page.locator('.operation:visible').count();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('delete webhook-endpoints');
    const filtered = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.operation:not([hidden])')].map(({ id }) => id)",
    );
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
    const hasFound = await page.evaluate("window.find('/v2/trading/orders/bulk-close')");

    expect(all).to.equal(listOperations().length);
    expect(filtered).to.include('deactivateWebhookEndpoint').and.not.include('createWebhookEndpoint');
    expect(hasFound).to.equal(true);
  });

  it('show an operation in the language that is chosen', async () => {
    await open('/docs/reference#submitNetvenueOrder');
    const operation = page.locator('#submitNetvenueOrder');
    await operation.getByLabel('Language').selectOption('Python');

    expect(await operation.locator('.sample code').first().innerText()).to.match(/^import json, os, urllib\.request/);
  });

  it('fold the list of all pages on a phone, where it opens, and show it beside the content on a desktop', async () => {
    await open('/docs');
    const link = page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Webhooks' });
    const onDesktop = await link.isVisible();
    await page.setViewportSize({ width: 390, height: 800 });
    await link.waitFor({ state: 'hidden' });
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    await page.getByText('All pages').click();
    await link.waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });

    expect(onDesktop).to.equal(true);
    expect(heading?.y).to.be.below(300);
    expect(await link.isVisible()).to.equal(true);
  });

  it('send an operation from the reference, with the credentials given once', async () => {
    const { key } = await service.partner();
    await open('/docs/reference#listSessions');
    const form = (id: string) => page.locator(`#${id} form`);
    await form('listSessions').getByLabel('Headers').fill(`Authorization: Bearer ${key}`);
    await form('listSessions').getByRole('button', { name: 'Send' }).click();
    await form('listSessions').getByRole('status').filter({ hasText: '200' }).waitFor();
    await page.evaluate("location.hash = 'listPartnerEvents'");
    await form('listPartnerEvents').getByRole('button', { name: 'Send' }).click();
    await form('listPartnerEvents').getByRole('status').filter({ hasText: '200' }).waitFor();

    expect(await form('listPartnerEvents').getByRole('status').innerText()).to.equal('200\n[]');
  });

  it('send a write once, however often the button is pressed before its response', async () => {
    const { key } = await service.partner();
    await open('/docs/reference#createPartnerWebhookEndpoint');
    let isLost = true;
    await page.route('**/v1/webhook-endpoints', async (route) => {
      const response = await route.fetch();
      if (!isLost) return route.fulfill({ response });
      isLost = false;
      return route.abort();
    });
    const form = page.locator('#createPartnerWebhookEndpoint form');
    await form.getByLabel('Headers').fill(`Authorization: Bearer ${key}\nContent-Type: application/json`);
    await form.getByRole('button', { name: 'Send' }).dblclick();
    await form.getByRole('status').filter({ hasText: 'Failed to fetch' }).waitFor();
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('status').filter({ hasText: '200' }).waitFor();
    const listed = await fetch(`${service.url}/v1/webhook-endpoints`, { headers: { Authorization: `Bearer ${key}` } });

    expect(await listed.json()).to.have.length(1);
    expect(browser.complaints.splice(0).join()).to.match(/net::ERR_FAILED$/);
  });
});
