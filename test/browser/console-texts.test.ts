import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overflow } from '../support/browser.ts';
import { openEach, type TestConsole } from '../support/console.ts';
import { fresh, type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

const LONG = 'W'.repeat(255);
const BEYOND = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog'))";
/** Whether the text of a node that has no other is written from the left to the right. */
const FORWARDS = (text: string) => `(() => {
  const texts = document.createTreeWalker(document.querySelector('#content'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && texts.currentNode.data !== '${text}');
  const left = (at) => {
    const range = new Range();
    range.setStart(texts.currentNode, at);
    range.setEnd(texts.currentNode, at + 1);
    return range.getBoundingClientRect().left;
  };
  return left(0) < left(4);
})()`;

describe('texts of others in the console', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  openEach(
    () => startIdentity({}, false),
    async (opened) => {
      ({ service, desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  /** Asks for access, as anyone can. */
  const request = async (more: Record<string, string>) => {
    const slug = fresh('tenant');
    const json = { company_name: slug, slug, contact_email: `${slug}@example.com`, use_case: 'Trying', ...more };
    const { status } = await service.ask('POST', '/v2/app-requests', { json });
    expect(status).to.equal(200);
    return slug;
  };

  it('of one endless word push no action out of the window, in no list and in no dialog', async () => {
    const slug = await request({ company_name: LONG, contact_name: LONG, use_case: LONG });
    const { partner_id } = (await operator.ask('POST', '/v2/admin/partners', { json: { name: LONG } })).body;
    const { app_id } = (await operator.ask('POST', '/v2/admin/apps', { json: { name: LONG, slug: fresh('app') } }))
      .body;
    await operator.ask('POST', '/v2/admin/pauses', { json: { subject: app_id, holds_exits: false, reason: LONG } });

    const wide: string[] = [];
    for (const view of [
      'requests',
      'partners',
      `partners/${partner_id}`,
      'apps',
      'upstreams',
      'audit',
      `search?q=${app_id}`,
    ]) {
      await desk.show(view);
      if ((await overflow(page)) > 0) wide.push(view);
    }
    await desk.show('requests');
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: `Approve: ${slug}` }).click();
    const beyond = await page.evaluate<number>(BEYOND);

    expect(wide).to.deep.equal([]);
    expect(beyond).to.equal(0);
  });

  it('do not turn round what is beside them', async () => {
    const slug = await request({ company_name: 'Ltd \u202e', contact_name: 'Ada \u202e' });
    await desk.show('requests');

    const shown = [`${slug}@example.com`, slug].map((text) => page.evaluate<boolean>(FORWARDS(text)));

    expect(await Promise.all(shown)).to.deep.equal([true, true]);
  });
});
