import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { effectsOn, exchangeOf, readWallets, whenActing } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Seen = { type?: string; oid?: unknown };

const ORDERS = '/v1/orders/exvenue';
/** The sandbox fills half of this size at once. */
const HALF_FILLED = { pair: 'BTC', side: 'long', size: '0.0505', order_type: 'limit', price: 100_000 };

describe('a half-filled bracket that the venue ends with its exits', function () {
  this.timeout(60_000);
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy();
    service = await startService({
      settings: {
        EXVENUE_URL: proxy.url,
        EXVENUE_EXPIRES_MS: '1000',
        EXVENUE_CLOCK_MARGIN_MS: '100',
        EXVENUE_READ_LAG_MS: '1000',
      },
    });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => {
    proxy.handle = (_, forward) => forward();
  });

  const bracket = async (trader: Trader): Promise<string> =>
    (await trader.post(ORDERS, { ...HALF_FILLED, stop_loss: 90_000 })).body.order_id;
  const endByVenue = (trader: Trader, id: string) =>
    expect(service.exchange.endOrder(trader.wallet, cloidOf(id), 'marginCanceled')).to.equal(true);

  /** The stops that live at the exchange, by their trigger prices. */
  async function stopsOf({ wallet }: Trader): Promise<(string | null)[]> {
    const open = await exchangeOf(service).openOrders(wallet);
    if (open.kind === 'unreadable') throw new Error(open.why);
    return open.kind === 'found' ? open.data.map(({ triggerPrice }) => triggerPrice) : [];
  }
  const stopsBack = (trader: Trader) =>
    until('new exits', async () => (await stopsOf(trader)).length > 0 || null, 15_000);
  const commandsOf = ({ wallet }: Trader) =>
    service.db.any(sql.type(z.object({ state: z.string() }))`
      select i.state
      from intents i
      where i.kind = 'exchange/protect' and i.request ->> 'wallet' = ${wallet}`);
  const settled = () =>
    until(
      'everything has ended',
      async () => !(await service.db.exists(sql.unsafe`select from intents where settled_at is null`)) || null,
      15_000,
    );

  for (const fault of ['status_500', 'reset'] as const satisfies FaultKind[])
    it(`gets new exits although the exchange did not receive the first ones: ${fault}`, async () => {
      const trader = await service.wallet();
      const id = await bracket(trader);
      let posts = 0;
      const restore = whenActing(service, () => (posts++ === 0 ? fault : undefined));
      endByVenue(trader, id);

      await readWallets(service);
      await stopsBack(trader);
      restore();
      await settled();

      expect(await stopsOf(trader)).to.deep.equal(['90000']);
      expect(await commandsOf(trader)).to.deep.equal([{ state: 'succeeded' }]);
    });

  it('gets them once although a response was lost', async () => {
    const trader = await service.wallet();
    const id = await bracket(trader);
    let posts = 0;
    const restore = whenActing(service, () => (posts++ === 0 ? 'accept_then_drop' : undefined));
    endByVenue(trader, id);

    await readWallets(service);
    await settled();
    restore();

    expect(effectsOn(service, trader, 'placed')).to.have.length(3); // the order with its stop, and the new stop
    expect(await stopsOf(trader)).to.deep.equal(['90000']);
  });

  it('is not a position whose owner commands exits: a command that never arrived ends, and its caller knows', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...HALF_FILLED, order_type: 'market', size: '0.01', price: undefined });
    let posts = 0;
    const restore = whenActing(service, () => (posts++ === 0 ? 'reset' : undefined));

    const reply = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 }, { prefer: 'wait=0' });
    const intent = await trader.pollIntent(reply, 20_000);
    restore();

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('NOT_CARRIED_OUT');
    expect(await stopsOf(trader)).to.deep.equal([]);
  });

  it('gets none if the owner has placed others before they could be sent again', async () => {
    const trader = await service.wallet();
    const id = await bracket(trader);
    let posts = 0;
    const restore = whenActing(service, () => (posts++ === 0 ? 'reset' : undefined));
    endByVenue(trader, id);
    await readWallets(service);
    await until('the first ones are lost', async () => posts > 0 || null, 5_000);

    const own = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });
    await settled();
    restore();

    expect(own.body, JSON.stringify(own.body)).to.include({ trigger_status: 'placed' });
    expect(await stopsOf(trader)).to.deep.equal(['85000']);
  });

  it('gets new ones although the replica that shows its exits is behind the one that shows its end', async () => {
    const trader = await service.wallet();
    const id = await bracket(trader);
    const stop = legCloid(id, 'sl');
    const behind = await shownOf(trader, stop);
    let isShown = false;
    proxy.handle = async (body, forward) => {
      if ((body as Seen).type !== 'orderStatus' || (body as Seen).oid !== stop) return forward(); // as: what a look-up has
      isShown = true;
      return behind;
    };
    endByVenue(trader, id);

    await readWallets(service);
    await until('the exits are read', async () => isShown || null, 5_000);
    proxy.handle = (_, forward) => forward();
    await readWallets(service);
    await stopsBack(trader);

    expect(await stopsOf(trader)).to.deep.equal(['90000']);
  });

  /** The exchange's present response to a look-up. */
  async function shownOf({ wallet }: Trader, oid: string) {
    const reply = await fetch(`${service.exchange.url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'orderStatus', user: wallet, oid }),
    });
    return { status: reply.status, text: await reply.text() };
  }
});
