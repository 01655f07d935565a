import { expect } from 'chai';
import { sql } from 'slonik';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { needsBrowser, openBrowser, type TestBrowser } from './browser.ts';
import { caller } from './caller.ts';
import { codeOf, fresh, type Identity, PASSWORD, type TestAdmin } from './identity.ts';
import { market } from './orders.ts';
import { ENTITY } from './service.ts';

/** The console of a service in a browser of its own. */
export type TestConsole = TestBrowser & {
  url: string;
  /** Fills in the log-in form, of this page or of another: the password, then the current code or another. */
  enter(operator: TestAdmin, code?: string, at?: TestConsole['page']): Promise<void>;
  /** Logs a new, enrolled operator in, up to the overview. */
  logIn(): Promise<TestAdmin>;
  /** Goes to a view and waits until it is loaded. */
  show(view: string): Promise<void>;
  /** The views of the menu, and whether each has pages per id. */
  views(): Promise<{ name: string; titleOfOne?: string }[]>;
  /** Waits until the console reports a completed action. */
  waitForText(text: string): Promise<void>;
};

type Options = { bypassCSP?: boolean; viewport?: { width: number; height: number } };

/** The window of a phone: an operator at night has no other. */
export const PHONE = { width: 360, height: 740 };

/** Opens the console of a service in a new browser, without motion; by default in the window of a desktop. */
export async function openConsole(service: Identity, options: Options = {}): Promise<TestConsole> {
  const browser = await openBrowser({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 }, ...options });
  const { page } = browser;
  const url = `${service.url}/admin`;
  const opened: TestConsole = {
    ...browser,
    url,
    async enter(operator, code, at = page) {
      await at.getByLabel('E-mail address').fill(operator.email);
      await at.getByLabel('Password').fill(PASSWORD);
      await at.getByRole('button', { name: 'Log in' }).click();
      await at.getByLabel('Code of your authenticator').waitFor();
      await letCodesPassAgain(service, operator);
      await at.getByLabel('Code of your authenticator').fill(code ?? codeOf(operator.seed));
      await at.getByRole('button', { name: 'Log in' }).click();
    },
    async logIn() {
      const operator = await service.admin();
      await page.goto(url);
      await opened.enter(operator);
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      return operator;
    },
    async show(view) {
      await page.goto(`${url}#/${view}`);
      await page.locator(`nav a[href="#/${/^[^/?]*/.exec(view)?.[0]}"][aria-current=page]`).waitFor();
      await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
    },
    views: () =>
      page.evaluate(
        "import('/admin/views.js').then(({ views }) => views.map(({ name, titleOfOne }) => ({ name, titleOfOne })))",
      ),
    waitForText: (text) => page.getByRole('main').getByRole('status').filter({ hasText: text }).waitFor(),
  };
  return opened;
}

/**
 * Hooks of a suite with a browser: a service for all of its tests, and for each the console in a browser of its own. A test fails whose
 * page complained.
 */
export function openEach<Service extends Identity>(
  start: () => Promise<Service>,
  use: (opened: { service: Service; desk: TestConsole; page: TestConsole['page'] }) => void | Promise<void>,
): void {
  let service: Service;
  let desk: TestConsole;
  before(async function () {
    needsBrowser(this);
    service = await start();
  });
  after(() => service?.stop());
  beforeEach(async () => {
    desk = await openConsole(service);
    await use({ service, desk, page: desk.page });
  });
  afterEach(async () => {
    await desk.close();
    expect(desk.complaints).to.deep.equal([]);
  });
}

/** Allows an operator's code of the current time step once more. */
const letCodesPassAgain = ({ db }: Identity, { adminId }: TestAdmin) =>
  db.query(sql.unsafe`update admins set totp_step = totp_step - 3 where id = ${adminId}`);

/**
 * The id of an order whose job has used up its attempts: it waits, and nothing executes it. For a service without a
 * worker.
 */
export const abandonedOrder = async (service: Identity): Promise<string> =>
  String((await abandonedOrders(service, 1)).ids[0]);

const PAIRS = ['BTCUSDC', 'ETHUSDC']; // of one pair, the second order waits for the first

/** At most two such orders of one new partner, whose id is `owner`. */
export async function abandonedOrders(service: Identity, count: 1 | 2): Promise<{ owner: string; ids: string[] }> {
  const [subaccount = 0] = service.miner.addSubaccounts(1, { active: true });
  const { key, partner_id } = await createPartner(service.db, fresh('Partner'));
  await service.db.query(sql.unsafe`
    insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
    values (${`${ENTITY}_${subaccount}`}, ${ENTITY}, ${subaccount}, ${partner_id}, ${newIntentId()}, 'crypto', 10000, 'active')`);
  const trader = caller(service.url, key, { 'Trader-ID': String(subaccount) });
  const ids: string[] = [];
  for (const trade_pair of PAIRS.slice(0, count)) {
    const { body } = await trader.post('/v1/orders/netvenue', market({ trade_pair }), { prefer: 'wait=0' });
    await service.db.query(sql.unsafe`
      with kept as (
        update intents set deadline_at = now() + interval '10 minutes' where id = ${body.order_uuid}
      )
      update queue_jobs
      set attempts = max_attempts, last_error = 'a fault nobody foresaw'
      where payload ->> 'intent_id' = ${body.order_uuid}`);
    ids.push(String(body.order_uuid));
  }
  return { owner: partner_id, ids };
}
