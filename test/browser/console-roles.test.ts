import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { listOperations } from '../../src/contract/document.ts';
import type { OperatorRole } from '../../src/kernel/operator-roles.ts';
import { abandonedOrder, openEach, type TestConsole } from '../support/console.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

const VIEWS = new URL('../../src/console/views/', import.meta.url);
const REASON = /^This needs the role (support|finance|admin); yours is \w+\.$/;

describe('the role of an operator in the console', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  openEach(
    () => startIdentity({ DUAL_CONTROL_CENTS: '0' }, false),
    (opened) => {
      ({ service, desk, page } = opened);
    },
  );

  /** Logs a new operator of a role in. */
  const logInAs = async (role: OperatorRole): Promise<TestAdmin> => {
    const operator = await service.admin(true, role);
    await page.goto(desk.url);
    await desk.enter(operator);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return operator;
  };
  const shownViews = () => page.getByRole('navigation').getByRole('link').allInnerTexts();

  it('of a viewer leaves every button of an operation disabled, with the reason, and every view readable', async () => {
    await (await service.admin()).ask('POST', '/v2/admin/partners', { json: { name: 'Waits for another' } });
    const intent = await abandonedOrder(service);
    await logInAs('viewer');
    const hrefs = await page
      .getByRole('navigation')
      .locator('a')
      .evaluateAll((links) => links.map(String));
    const [enabled, reasons, rejected]: [string[], string[], string[]] = [[], [], []];
    for (const view of [...hrefs.map((href) => href.split('#/')[1] ?? ''), `intents/${intent}`]) {
      await desk.show(view);
      rejected.push(...(await page.getByRole('main').getByRole('alert').allInnerTexts()).filter((text) => text !== ''));
      for (const button of await page.locator('#content button:not(.copy)').all()) {
        if (await button.isEnabled()) enabled.push(await button.innerText());
        else reasons.push(String(await button.getAttribute('title')));
      }
    }

    expect(rejected).to.deep.equal([]);
    expect([...new Set(enabled)].sort()).to.deep.equal(['Pause', 'Show']); // of refreshing, and of a filter
    expect(reasons.filter((reason) => !REASON.test(reason))).to.deep.equal([]);
    expect(new Set(reasons)).to.include('This needs the role admin; yours is viewer.'); // also to decide on a request
    expect(await shownViews())
      .to.include('Approvals')
      .and.not.include.members(['Search', 'Users', 'Operators']);
    expect(await page.locator('#find').count()).to.equal(0);
  });

  it('decides for each button, and is shown beside the name', async () => {
    const intent = await abandonedOrder(service);
    const { email } = await logInAs('support');
    await desk.show('tiers');
    const make = page.getByRole('button', { name: 'Make a tier' });
    const forFinance = [await make.isEnabled(), await make.getAttribute('title')];
    await desk.show(`intents/${intent}`);
    const forSupport = await page.getByRole('button', { name: 'Run it once more' }).isEnabled();

    expect(forFinance).to.deep.equal([false, 'This needs the role finance; yours is support.']);
    expect(forSupport).to.equal(true);
    expect(await page.locator('#who').innerText()).to.equal(`${email}, support`);
    expect(await shownViews())
      .to.include.members(['Search', 'Users'])
      .and.not.include('Operators');
  });

  it('is asked for by the button of every write that the console has', () => {
    const code = readdirSync(VIEWS)
      .map((name) => readFileSync(new URL(name, VIEWS), 'utf8'))
      .join();
    const sent = listOperations().filter(({ method, path }) => {
      const others = listOperations().filter((each) => each.path === path && each.method !== 'get');
      return (
        method !== 'get' &&
        code.includes(`'${path}'`) &&
        (others.length === 1 || code.includes(`ask('${method}', '${path}'`))
      );
    });

    expect(sent).to.have.length.above(30);
    expect(sent.map(({ id }) => id).filter((id) => !code.includes(`'${id}'`))).to.deep.equal([]);
  });
});
