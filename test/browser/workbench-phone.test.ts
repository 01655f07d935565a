import { expect } from 'chai';
import { addAxe, faultsOf } from '../support/axe.ts';
import { needsBrowser } from '../support/browser.ts';
import { PHONE } from '../support/console.ts';
import { bearer } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { effectsOf, effectsUnder, limit, market, restingOf } from '../support/orders.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startTrading, type Trading } from '../support/trading.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

describe('the workbench of a partner, on a phone', function () {
  this.timeout(90_000);
  let service: Trading;
  let trader: Awaited<ReturnType<Trading['trader']>>;
  let receiver: Receiver;
  let order: string;
  let { browser, page, enterAs, show } = {} as Workbench; // as: set before each test
  before(async function () {
    needsBrowser(this);
    service = await startTrading();
    trader = await service.trader();
    receiver = await startReceiver();
    await trader.post('/v1/webhook-endpoints', { url: receiver.url, events: ['order.updated'] });
    order = (await trader.post('/v1/orders/netvenue', limit())).body.order_uuid;
    await trader.delete(`/v1/orders/netvenue/${order}?trade_pair=BTCUSDC`);
    await trader.post('/v1/orders/netvenue', limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 }));
    await eventually(async () => receiver.ledger.length > 0);
  });
  after(async () => {
    await receiver?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    ({ browser, page, enterAs, show } = await openWorkbench(service.url, PHONE));
    await addAxe(browser.context);
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.complaints).to.deep.equal([]);
  });

  const faults = async (name: string) => {
    const found = await faultsOf(page, name);
    await page.setViewportSize(PHONE);
    return found;
  };
  /** What the partner reads by the API. */
  const read = async (path: string) => (await service.ask('GET', path, { headers: bearer(trader.key) })).body;

  it('finds an order by its id, with its intents as the API has them, and its trader from there', async () => {
    await enterAs(trader.key);
    await page.getByLabel('Find by id').fill(order);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('table', { name: `What ${order} names` }).waitFor();
    await page.getByLabel('Show: The whole intent').first().click();
    const intent = JSON.parse(await page.locator('details[open] pre').innerText());
    const found = await faults('what an order’s id names');
    const related = page.locator('.related', { hasText: 'trader' }).getByRole('link').first();
    const name = await related.innerText();
    await related.click();
    await page.getByRole('table', { name: `What ${name} names` }).waitFor();
    const ofTrader = await page.getByRole('main').innerText();

    expect(intent).to.deep.equal(await read(`/v1/intents/${intent.intent_id}`));
    expect(ofTrader).to.include('subaccount');
    expect(found).to.deep.equal([]);
  });

  it('filters events by their type and time, as the API lists them', async () => {
    await enterAs(trader.key);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await page.getByLabel('Type').fill('order.updated');
    await page.getByLabel('Since').fill(since);
    const response = page.waitForResponse((each) => each.url().includes('type=order.updated'));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await response;
    await page.getByRole('table', { name: 'Events, oldest first' }).waitFor();
    const shown = await page.locator('tbody th code').allInnerTexts();
    const events = await read(`/v1/events?type=order.updated&since=${since}&limit=50`);

    expect(shown).to.deep.equal(events.map(({ id }: { id: string }) => id));
    expect(shown).to.not.deep.equal([]);
    expect(await faults('events of a type')).to.deep.equal([]);
  });

  it('replays a delivery: the receiver gets the same bytes under the same id', async () => {
    const before = receiver.ledger.length;
    await enterAs(trader.key);
    await show('Deliveries');
    const delivery = String(await page.locator('tbody th a').last().innerText());
    await page.getByRole('link', { name: delivery }).click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await page.getByRole('button', { name: `Replay: ${delivery}` }).click();
    const found = await faults('the question before a replay');
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `${delivery} is pending` })
      .waitFor();
    await eventually(async () => receiver.ledger.length === before + 1);
    await eventually(async () => (await read(`/v1/webhook-deliveries/${delivery}`)).status === 'delivered');
    found.push(...(await faults('a delivery')));

    const again = receiver.ledger.at(-1);
    const first = receiver.ledger.find(({ headers }) => headers['webhook-id'] === again?.headers['webhook-id']);
    expect(first).to.not.equal(again);
    expect(first?.body).to.equal(again?.body);
    expect(found).to.deep.equal([]);
  });

  it('places an order that is tried, once, and cancels what rests', async () => {
    const before = [...effectsOf(service, trader)];
    await enterAs(trader.key);
    const choose = async (operation: string) => {
      await show('Try an operation');
      await page.getByLabel('Operation').selectOption(operation);
      await page.waitForURL(`**operation=${operation}`);
      await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
      await page.getByLabel('Trader-ID').fill(trader.traderId);
    };
    const send = async () => {
      await page.getByRole('button', { name: 'Send' }).click();
      const output = page.getByRole('status').filter({ hasText: /^\d{3}\n/ });
      await output.waitFor();
      return output.innerText();
    };
    await choose('submitNetvenueOrder');
    await page.getByLabel('Body').fill(JSON.stringify(market({ trade_pair: 'SOLUSDC' })));
    const placed = await send();
    const found = await faults('an operation that was tried');
    const [resting] = await restingOf(service, trader);
    await choose('cancelNetvenueOrder');
    await page.getByLabel('order_uuid').fill(String(resting?.uuid));
    await page.getByLabel('trade_pair').fill('ETHUSDC');
    const cancelled = await send();

    expect(placed).to.match(/^200\n/);
    expect(effectsUnder(service, JSON.parse(placed.slice(4)).order_uuid)).to.have.length(1);
    expect(cancelled).to.match(/^200\n/);
    expect(effectsOf(service, trader)).to.have.length(before.length + 2);
    expect(await restingOf(service, trader)).to.deep.equal([]);
    expect(found).to.deep.equal([]);
  });

  it('rolls its key with an overlap, and shows the old one as expired once that is over', async () => {
    const { key: old } = await service.partner();
    const stateOf = async (key: string) => {
      await show('Events');
      await show('Credentials and quota');
      return page
        .getByRole('row', { name: new RegExp(key.slice(0, 8)) })
        .locator('.badge')
        .innerText();
    };
    const status = async (key: string) => (await service.ask('GET', '/v1/keys', { headers: bearer(key) })).status;
    await enterAs(old);
    await show('Credentials and quota');
    await page.getByRole('button', { name: 'Roll this key' }).click();
    await page.getByLabel('Overlap in seconds').fill('3');
    const found = await faults('the question before a key is rolled');
    await page.getByRole('button', { name: 'Roll it' }).click();
    const key = await page.locator('code.secret').innerText();
    found.push(...(await faults('a new key')));
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('status').filter({ hasText: 'The key is rolled.' }).waitFor();
    const states = [await stateOf(key)];
    await eventually(async () => (await status(old)) === 401);
    await eventually(async () => (await stateOf(old)) === 'expired');
    found.push(...(await faults('keys')));

    expect(states).to.deep.equal(['active']);
    expect(await status(key)).to.equal(200);
    expect(found).to.deep.equal([]);
  });

  it('keeps what is typed into the filter of a list that refreshes itself', async () => {
    let open = 0;
    page.on('request', () => (open += 1)).on('requestfinished', () => (open -= 1));
    await page.clock.install();
    await enterAs(trader.key);
    await show('Requests');
    await page.getByLabel('Operation').fill('submitNetvenue');
    await page.clock.runFor(30_000);
    await eventually(async () => open === 0);
    const typed = await page.getByLabel('Operation').inputValue();
    await page.getByLabel('Operation').fill('submitNetvenueOrder');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL('**operation=submitNetvenueOrder');
    const request = page.waitForRequest((each) => each.url().includes('operation=submitNetvenueOrder'));
    await page.clock.runFor(10_000);
    await request;

    expect(typed).to.equal('submitNetvenue');
  });
});
