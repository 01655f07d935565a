import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, openOids, readWallets, restDirectly } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { comparedUntil, compareNow } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';
import { faultOf } from '../support/stream-schemas.ts';

const ORDERS = '/v1/orders/exvenue';
const BTC = 1; // its asset at the sandbox
const bracket = {
  ...{ pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' },
  ...{ take_profit: 120_000, stop_loss: 90_000 },
};

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type EventBody = { type: string; data: Record<string, unknown> };

describe('the exits that are wanted at the exchange', function () {
  this.timeout(60_000);
  let service: TestService;
  let repairing: TestService;
  before(async () => {
    [service, repairing] = await Promise.all([
      startService(),
      startService({ settings: { PROTECTION_REPAIR: 'repair' } }),
    ]);
  });
  after(() => Promise.all([service, repairing].map((each) => each.stop())));

  let nonces = Date.now() - 3_600_000;
  /** The owner's own software cancels orders, by the exchange's numbers. */
  async function cancels(at: TestService, { privateKey }: Wallet, ...oids: number[]): Promise<void> {
    const action: Action = { kind: 'cancel', orders: oids.map((oid) => ({ asset: BTC, oid })) };
    const venue = exchangeOf(at);
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }
  const told = async (trader: Wallet): Promise<EventBody[]> => {
    const { body } = await trader.get('/v1/events?limit=500');
    return (body as EventBody[]).filter(({ type }) => type === 'position.unprotected' || type === 'position.protected');
  };
  const toldOf = (at: TestService, trader: Wallet, type: string) =>
    comparedUntil(at.db, async () => (await told(trader)).findLast((event) => event.type === type), {
      wallet: trader.wallet,
    });
  /** Has the exits of a wallet compared, twice. */
  async function compared({ wallet }: Wallet): Promise<void> {
    for (let n = 0; n < 2; n++) {
      await compareNow(service.db, { wallet });
      const isDone = () =>
        service.db.exists(sql.type(z.object({}))`
          select from wanted_exits where trader = ${wallet} and (due_at is null or compared_at > now() - interval '1 second')`);
      await until('the exits are compared', async () => (await isDone()) || null, 10_000);
    }
  }
  /** A wallet with a long position and both exits, which rest. */
  async function holder(at: TestService) {
    const trader = await at.wallet();
    const { body } = await trader.post(ORDERS, bracket);
    await readWallets(at);
    const open = await exchangeOf(at).openOrders(trader.wallet, '');
    const exits = Object.fromEntries((open.kind === 'found' ? open.data : []).map(({ exit, oid }) => [exit, oid]));
    return { trader, id: String(body.order_id), stop: Number(exits.sl), profit: Number(exits.tp) };
  }

  it('are reported missing when something else has cancelled one, and present again when they are', async () => {
    const { trader, id, stop } = await holder(service);
    await cancels(service, trader, stop);

    const lost = await toldOf(service, trader, 'position.unprotected');
    const open = await trader.get(ORDERS);
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 91_000 });
    const again = await toldOf(service, trader, 'position.protected');

    for (const event of [lost, again]) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
    expect(lost.data).to.deep.include({
      ...{ venue: 'exvenue', trader_id: trader.wallet, pair: 'BTC-USDC', side: 'long', size: '0.01', repair: 'none' },
      wanted: [{ take_profit: '120000', stop_loss: '90000', trailing_stop: null, size: '0.01', order_uuid: id }],
      live: [{ take_profit: '120000', stop_loss: null, trailing_stop: null, size: '0.01' }],
      reason: 'exits_cancelled',
    });
    expect(open.body).to.have.length(1);
    expect(again.data).to.deep.include({ reason: 'exits_live' });
    expect((again.data.wanted as object[]).length).to.equal(2); // the profit of the order, the stop of the command
    expect(await told(trader)).to.have.length(2);
  });

  it('make their order say that its protection failed, until they are there again', async () => {
    const { trader, id, stop, profit } = await holder(service);
    const statusOf = async () => (await trader.get(`${ORDERS}/${id}`)).body;
    expect(await statusOf()).to.include({ trigger_status: 'placed' });

    await cancels(service, trader, stop, profit);
    await toldOf(service, trader, 'position.unprotected');

    expect(await statusOf()).to.include({ trigger_status: 'failed' });
    expect((await statusOf()).trigger_error).to.match(/canceled/);
  });

  it('are not those that their owner cancels through this service, in whatever way', async () => {
    const one = await holder(service);
    await one.trader.delete(`${ORDERS}/${one.stop}`);
    const all = await holder(service);
    await all.trader.delete(ORDERS);
    const closed = await holder(service);
    await closed.trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    for (const { trader } of [one, all, closed]) await compared(trader);
    for (const { trader } of [one, all, closed]) expect(await told(trader)).to.deep.equal([]);
    await cancels(service, one.trader, one.profit); // what the command left is still wanted
    expect((await toldOf(service, one.trader, 'position.unprotected')).data.wanted).to.deep.equal([
      { take_profit: '120000', stop_loss: null, trailing_stop: null, size: '0.01', order_uuid: one.id },
    ]);
  });

  it('are missing until the position is closed, and that is reported', async () => {
    const { trader, stop } = await holder(service);
    await cancels(service, trader, stop);
    await toldOf(service, trader, 'position.unprotected');

    await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect((await toldOf(service, trader, 'position.protected')).data).to.include({ reason: 'position_closed' });
  });

  it('have done their work when one was executed', async () => {
    const { trader } = await holder(service);
    service.exchange.setMid('BTC', '121000');
    service.exchange.setMid('BTC', '100000');
    await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' }); // without exits

    await compared(trader);

    expect(await told(trader)).to.deep.equal([]);
  });

  it('are put back where the deployment says so', async () => {
    const { trader, stop, profit } = await holder(repairing);
    await cancels(repairing, trader, stop, profit);

    const again = await toldOf(repairing, trader, 'position.protected');

    const [lost] = await told(trader);
    expect(lost?.data).to.include({ reason: 'exits_cancelled', repair: 'submitted' });
    expect(again.data).to.include({ reason: 'exits_live' });
    expect(await openOids(repairing, trader)).to.have.length(2);
  });

  it('end no exit of other software when they are put back', async () => {
    const { trader, profit } = await holder(repairing);
    await cancels(repairing, trader, profit);
    const ofHalf = { reduceOnly: true, size: '0.005', side: 'sell' as const, price: '99000' };
    const [half] = await restDirectly(repairing, trader, [
      { ...ofHalf, trigger: { price: '110000', kind: 'tp', isMarket: true } } as never, // as: a trigger has no time in force
    ]);

    await toldOf(repairing, trader, 'position.protected');

    expect(await openOids(repairing, trader))
      .to.have.length(3)
      .that.includes(half);
  });

  it('are not put back beside those of another order', async () => {
    const { trader, profit } = await holder(repairing);
    await trader.post(ORDERS, { ...bracket, take_profit: 125_000, stop_loss: undefined });
    await readWallets(repairing);
    await cancels(repairing, trader, profit);

    const lost = await toldOf(repairing, trader, 'position.unprotected');

    expect(lost.data).to.include({ size: '0.02', reason: 'exits_cancelled', repair: 'none' });
    const open = await exchangeOf(repairing).openOrders(trader.wallet, '');
    const prices = open.kind === 'found' ? open.data.map(({ triggerPrice }) => Number(triggerPrice)) : [];
    expect(prices.sort()).to.deep.equal([125_000, 90_000]);
  });
});
