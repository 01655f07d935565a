import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sql } from 'slonik';
import { readConfig } from '../../src/config.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { abandonedOrder, abandonedOrders, openConsole, PHONE, type TestConsole } from '../support/console.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { effectsOf, effectsUnder, market } from '../support/orders.ts';
import { logLines } from '../support/service.ts';

describe('a night at the console, on a phone', function () {
  this.timeout(90_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  before(async function () {
    needsBrowser(this);
    service = await startIdentity({ ORDER_DEADLINE_MS: '120000' });
  });
  after(() => service?.stop());
  beforeEach(async () => {
    desk = await openConsole(service, { bypassCSP: true, viewport: PHONE });
    page = desk.page;
    await addAxe(desk.context);
    operator = await desk.logIn();
  });
  afterEach(async () => {
    await desk.close();
    expect(desk.complaints).to.deep.equal([]);
  });

  /** The faults of what is open now. */
  const faults = async (name: string) => {
    const found = await faultsOf(page, name);
    await page.setViewportSize(PHONE);
    return found;
  };
  const dialog = () => page.getByRole('dialog');
  /** What this operator did to a subject, oldest first. */
  const actsOn = async (subject: string) => {
    const { body } = await operator.ask('GET', `/v2/admin/audit?subject=${subject}`);
    return body
      .filter(({ actor }: { actor: string }) => actor === `admin:${operator.adminId}`)
      .map(({ action, detail }: { action: string; detail: { why: string } }) => `${action}: ${detail.why}`)
      .toReversed();
  };
  const isPaused = (subject: string) => service.db.exists(sql.unsafe`select from pauses where subject = ${subject}`);

  it('an upstream is paused, what is accepted waits unsent, and the end of the pause sends it', async () => {
    const trader = await service.trader();
    await desk.show('upstreams');
    const found = await faults('nothing is paused');
    await page.getByRole('button', { name: 'Pause sending' }).click();
    await page.getByLabel('Upstream, partner or app').fill('netvenue');
    await page.getByLabel('Reason').fill('wrong prices');
    found.push(...(await faults('the question before a pause')));
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await desk.waitForText('It is paused.');
    const { body } = await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' });
    await page.locator('td[data-label=Wait]', { hasText: '1' }).waitFor(); // the view refreshes itself
    const row = await page.getByRole('table', { name: 'Paused by operators' }).innerText();
    const unsent = [...effectsOf(service, trader)];
    found.push(...(await faults('a pause')));
    await page.getByRole('button', { name: 'End the pause: netvenue' }).click();
    await page.getByLabel('Reason').fill('they are right again');
    await page.getByRole('button', { name: 'End it' }).click();
    await desk.waitForText('Writes that go on: 1.');
    await eventually(async () => effectsUnder(service, body.order_uuid).length === 1);
    await page.getByText('Nothing is paused.').waitFor();

    expect(row).to.include('wrong prices').and.include('all but exits').and.include(operator.adminId);
    expect(unsent).to.deep.equal([]);
    expect(await isPaused('netvenue')).to.equal(false);
    expect(await actsOn('netvenue')).to.deep.equal(['pause: wrong prices', 'end_pause: they are right again']);
    expect(found).to.deep.equal([]);
  });

  it('a partner is paused with its exits, by its id with a space that was copied too, and nobody else is', async () => {
    const [held, other] = [await service.trader(), await service.trader()];
    await held.post('/v1/orders/netvenue', market());
    await desk.show('upstreams');
    await page.getByRole('button', { name: 'Pause sending' }).click();
    await page.getByLabel('Upstream, partner or app').fill(`${held.owner} `);
    await page.getByLabel('Cancellations, closes and protection').selectOption('wait too');
    await page.getByLabel('Reason').fill('it runs amok');
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await desk.waitForText('It is paused.');
    const row = await page.getByRole('table', { name: 'Paused by operators' }).innerText();
    const close = await held.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' }, { prefer: 'wait=1' });
    const others = await other.post('/v1/orders/netvenue', market());
    const before = [...effectsOf(service, held)];
    await page.getByRole('button', { name: `End the pause: ${held.owner}` }).click();
    await page.getByLabel('Reason').fill('it has stopped');
    await page.getByRole('button', { name: 'End it' }).click();
    await desk.waitForText('Writes that go on: 1.');
    await eventually(async () => effectsOf(service, held).length === 2);

    expect(row).to.include('Test partner').and.include('everything');
    expect([close.status, others.status]).to.deep.equal([202, 200]);
    expect(before).to.have.length(1);
    expect(await actsOn(held.owner)).to.deep.equal(['pause: it runs amok', 'end_pause: it has stopped']);
  });

  it('the open intents of a filter are assessed, then run again, and no others', async () => {
    await service.stopWorkers();
    const [{ owner, ids }, foreign] = [await abandonedOrders(service, 2), await abandonedOrder(service)];
    const attempts = async (id: string) =>
      service.db.oneFirst(sql.unsafe`select attempts from queue_jobs where payload ->> 'intent_id' = ${id}`);
    const dead = await attempts(foreign);
    await desk.show('intents');
    await page.getByLabel('State').selectOption('queued');
    await page.getByLabel('Partner or app').fill(owner);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL((url) => url.hash.includes(owner));
    const open = page.getByRole('button', { name: 'Re-run the open ones of this filter' });
    await open.click();
    const assessed = await dialog().getByRole('row').last().getByRole('cell').allInnerTexts();
    const found = await faults('the assessment before a re-run');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const untouched = await Promise.all([...ids, foreign].map(attempts));
    await open.click();
    await page.getByLabel('Reason').fill('the workers were away');
    await page.getByRole('button', { name: 'Re-run those that are safe' }).click();
    await desk.waitForText('Queued: 2.');
    const after = await Promise.all([...ids, foreign].map(attempts));
    found.push(...(await faults('intents that were run again')));
    await service.startWorker();
    for (const id of ids) await eventually(async () => effectsUnder(service, id).length === 1);

    expect(assessed[0]).to.equal('2');
    expect(untouched).to.deep.equal([dead, dead, dead]);
    expect(after).to.deep.equal([0, 0, dead]);
    for (const id of ids) expect(await actsOn(id)).to.deep.equal(['rerun: the workers were away']);
    expect(await actsOn(foreign)).to.deep.equal([]);
    expect(effectsUnder(service, foreign)).to.deep.equal([]);
    expect(found).to.deep.equal([]);
  });

  it('the process whose setting differs is seen, without its value, and the one that was lost', async () => {
    await service.stopWorkers();
    for (const _ of [1, 2]) await service.startWorker(); // two that are alike: a third one is the odd one
    const settings = { ...service.settings, NETVENUE_MINER_KEY: 'another-miner-key' };
    const odd = await startWorker(readConfig(settings), logLines().logger, openMetrics());
    await service.db.query(sql.unsafe`
      insert into processes (id, kind, instance, version, calls, settings, sealing_keys, agreement_keys, seen_at)
      select gen_random_uuid(), 'worker', 'lost/1', '0', p.calls, '{"PORT": "0000"}', '{}', '{}', now() - interval '5 minutes'
      from processes p
      limit 1`);
    await desk.show('fleet');
    const differing = page.getByRole('table', { name: 'Differences' });
    await differing.waitFor(); // the view refreshes itself
    const text = await differing.innerText();
    const lost = await page.getByRole('row', { name: /lost\/1/ }).innerText();
    const found = await faults('a fleet with differences');
    await odd.stop();
    await service.db.query(sql.unsafe`delete from processes where instance = 'lost/1'`);
    await page.getByText('Running processes have the same version and settings.').waitFor();

    expect(text).to.include('NETVENUE_MINER_KEY').and.include('odd one out');
    expect(text).to.not.include('PORT').and.not.include('lost/1');
    expect(lost).to.include('gone');
    expect(await page.content()).to.not.include('another-miner-key');
    expect(found).to.deep.equal([]);
  });
});
