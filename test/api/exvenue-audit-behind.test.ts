import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { legCloid } from '../../src/kernel/exchange-names.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import type { OpenOrder } from '../../src/venues/exchange/adapter/types.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { comparedUntil, compareNow } from '../support/protection.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BTC = 1; // its asset at the sandbox
const bracket = {
  ...{ pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' },
  ...{ take_profit: 120_000, stop_loss: 90_000 },
};

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type EventBody = { type: string; data: Record<string, unknown> };
type Body = Record<string, unknown>;

describe('the exits that are wanted, at replicas that are behind', function () {
  this.timeout(60_000);
  let service: TestService;
  let proxy: VenueProxy;
  /** What reads of a type show instead of the present state. */
  const shows = new Map<string, (present: Body) => unknown>();
  let accountReads = 0;
  before(async () => {
    proxy = await startProxy(async ({ type = '' }, forward) => {
      if (type === 'clearinghouseState') accountReads += 1;
      const show = shows.get(type);
      const reply = await forward();
      return show && reply ? jsonReply(show(JSON.parse(reply.text))) : reply;
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '60000' } });
    proxy.target = service.exchange.url;
  });
  afterEach(() => shows.clear());
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  let nonces = Date.now() - 3_600_000;
  /** The owner's own software acts beside the service. */
  async function acts({ privateKey }: Wallet, action: Action): Promise<void> {
    const venue = exchangeOf(service);
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }
  const cancels = (trader: Wallet, exit: OpenOrder) =>
    acts(trader, { kind: 'cancel', orders: [{ asset: BTC, oid: exit.oid }] });
  /** The state that a read of a wallet shows now. */
  async function present(type: string, { wallet }: Wallet, more: object = {}): Promise<Body> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ type, user: wallet, ...more });
    return (await (await fetch(`${service.exchange.url}/info`, { method: 'POST', headers, body })).json()) as Body; // as: of the sandbox
  }
  const told = async (trader: Wallet): Promise<EventBody[]> => {
    const { body } = await trader.get('/v1/events?limit=500');
    return (body as EventBody[]).filter(({ type }) => type === 'position.unprotected' || type === 'position.protected');
  };
  const toldOf = (trader: Wallet, type: string) =>
    comparedUntil(service.db, async () => (await told(trader)).findLast((event) => event.type === type), trader);
  /** Has the exits of a wallet compared some times, while so much time passes each time. */
  async function compared({ wallet }: Wallet, passedS: number): Promise<void> {
    for (let n = 0; n < 3; n++) {
      const before = accountReads;
      await compareNow(service.db, { wallet }, passedS);
      await until('the account is read', async () => accountReads > before || null, 10_000);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const isCompared = ({ wallet }: Wallet) =>
    service.db.exists(sql.type(z.object({}))`select from wanted_exits where trader = ${wallet} and due_at is not null`);
  const open = async (trader: Wallet): Promise<OpenOrder[]> => {
    const list = await exchangeOf(service).openOrders(trader.wallet, '');
    return list.kind === 'found' ? list.data : [];
  };
  /** A long position and both exits, which rest. */
  async function holds(trader: Wallet): Promise<{ id: IntentId; stop: OpenOrder; profit: OpenOrder }> {
    const { body } = await trader.post(ORDERS, bracket);
    await readWallets(service);
    const exits = await open(trader);
    const [stop, profit] = ['sl', 'tp'].map((leg) => exits.find(({ exit }) => exit === leg));
    if (!stop || !profit) throw new Error('the exits do not rest');
    return { id: body.order_id, stop, profit };
  }

  it('are still compared after a replica whose clock is ahead has not shown the position', async () => {
    const trader = await service.wallet();
    const none = await present('clearinghouseState', trader);
    shows.set('clearinghouseState', () => ({ ...none, time: Date.now() + 3_000 }));
    const { stop } = await holds(trader);
    await compared(trader, 0);
    shows.clear();

    expect(await isCompared(trader)).to.equal(true);
    await cancels(trader, stop);
    expect((await toldOf(trader, 'position.unprotected')).data).to.include({ reason: 'exits_cancelled' });
  });

  it('are not reported missing while a list may lack what their owner placed instead', async () => {
    const trader = await service.wallet();
    const { stop } = await holds(trader);
    await cancels(trader, stop);
    const list = await present('frontendOpenOrders', trader);
    shows.set('frontendOpenOrders', () => list);
    const order: OrderTerms = {
      ...{ asset: BTC, side: 'sell', price: '80000', size: '0.01', reduceOnly: true },
      trigger: { price: '90000', kind: 'sl', isMarket: true },
    };
    await acts(trader, { kind: 'place', orders: [order], grouping: 'none' });

    await compared(trader, 0);
    shows.clear();
    await compared(trader, 60);

    expect(await told(trader)).to.deep.equal([]);
  });

  it('end with the position, not before an account shows its end', async () => {
    const trader = await service.wallet();
    const { profit } = await holds(trader);
    await cancels(trader, profit);
    await toldOf(trader, 'position.unprotected');
    const old = await present('clearinghouseState', trader);
    shows.set('clearinghouseState', () => old);
    service.exchange.setMid('BTC', '89000');
    service.exchange.setMid('BTC', '100000');

    await compared(trader, 60);
    expect(await told(trader)).to.have.length(1);
    shows.clear();

    expect((await toldOf(trader, 'position.protected')).data).to.include({ reason: 'position_closed' });
  });

  it('do not live again because an older record or list shows them', async () => {
    const trader = await service.wallet();
    const { id, stop } = await holds(trader);
    const record = await present('orderStatus', trader, { oid: legCloid(id, 'sl') });
    const list = await present('frontendOpenOrders', trader);
    await cancels(trader, stop);
    await toldOf(trader, 'position.unprotected');

    for (const [type, old] of [['orderStatus', record] as const, ['frontendOpenOrders', list] as const]) {
      shows.set(type, () => old);
      await compared(trader, 60);
      shows.clear();
    }

    expect(await told(trader)).to.have.length(1);
  });

  it('are not taken for live by a status that is unknown here', async () => {
    const trader = await service.wallet();
    const { profit } = await holds(trader);
    await cancels(trader, profit);
    await toldOf(trader, 'position.unprotected');
    shows.set('orderStatus', (shown) => ({ ...shown, order: { ...Object(shown.order), status: 'suspended' } }));

    await compared(trader, 60);

    expect(await told(trader)).to.have.length(1);
  });
});
