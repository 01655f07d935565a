import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { control, limit, market, positionsOf, restingOf } from '../support/orders.ts';
import { cancelExits, comparedUntil, compareNow, missingOf, wereFoundAlive } from '../support/protection.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Reader, readStream } from '../support/stream.ts';
import { faultOf } from '../support/stream-schemas.ts';

const ORDERS = '/v1/orders/netvenue';
const TP_SL = `${ORDERS}/tp-sl`;
const BTC = 'BTCUSDC';

type Logged = { id: string; type: string; data: Record<string, unknown> };

describe('the exits that a partner wants of a position', function () {
  this.timeout(60_000);
  let service: TestService;
  let cooling: TestService;
  let receiver: Receiver;
  const readers: Reader[] = [];
  before(async () => {
    const upstream = { style: '2026' } as const;
    [service, cooling] = await Promise.all([
      startService({ upstream }),
      startService({ upstream: { ...upstream, cooldownMs: 600_000 } }),
    ]);
    receiver = await startReceiver();
  });
  after(async () => {
    for (const reader of readers) reader.drop();
    await receiver.close();
    await Promise.all([service, cooling].map((each) => each.stop()));
  });
  afterEach(() => service.miner.setPrice(BTC, 100_000));

  /** A partner with a long position and a stop-loss, who follows every channel. */
  async function holder(at: TestService, more: object = { stop_loss: 90_000 }) {
    const trader = await at.trader();
    const stream = await readStream(`${at.url}/v1/stream`, { Authorization: `Bearer ${trader.key}` });
    readers.push(stream);
    await trader.post('/v1/webhook-endpoints', { url: receiver.url, events: ['*'] });
    const { body } = await trader.post(ORDERS, market(more));
    return { trader, stream, uuid: String(body.order_uuid) };
  }
  const logged = async (trader: Caller, type: string): Promise<Logged | undefined> =>
    (await trader.get(`/v1/events?limit=500&type=${type}`)).body.at(-1);
  const told = (at: TestService, trader: Caller, type: string) => comparedUntil(at.db, () => logged(trader, type));
  /** The event has the same envelope in the log, the stream and the webhook. */
  async function expectOnEveryChannel({ stream }: { stream: Reader }, event: Logged) {
    expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
    const streamed = await eventually(async () =>
      stream.events.find(({ data }) => (data as unknown as Logged).id === event.id),
    );
    const sent = await eventually(async () => receiver.ledger.find(({ body }) => JSON.parse(body).id === event.id));
    expect(streamed.data).to.deep.equal(event);
    expect(JSON.parse(sent.body)).to.deep.equal(event);
  }

  it('are reported missing when something else has cancelled them, and present again when they are', async () => {
    const held = await holder(service);
    const { trader, uuid } = held;
    await cancelExits(service, trader);

    const lost = await told(service, trader, 'position.unprotected');
    const status = await trader.get(`${ORDERS}/${uuid}`);
    await trader.post(TP_SL, { trade_pair: BTC, stop_loss: 91_000 });
    const again = await told(service, trader, 'position.protected');

    const wanted = { take_profit: null, stop_loss: '90000', trailing_stop: null, size: '0.01' };
    expect(lost.data).to.deep.include({
      ...{ venue: 'netvenue', trader_id: trader.traderId, prop_account_id: null, user_id: null, pair: BTC },
      ...{ side: 'long', size: '0.01', wanted: [{ ...wanted, order_uuid: uuid }], live: [], repair: 'none' },
      reason: 'exits_cancelled',
    });
    expect(status.body).to.include({ protection: 'failed' });
    expect(status.body.protection_error).to.match(/cancelled/);
    expect(again.data).to.deep.include({ reason: 'exits_live' });
    expect(again.data.live).to.deep.equal([{ ...wanted, stop_loss: '91000' }]);
    for (const event of [lost, again]) await expectOnEveryChannel(held, event);
    expect(await restingOf(service, trader)).to.have.length(1); // nothing was put back
  });

  it('are reported missing once, and the end of that when the position is closed', async () => {
    const { trader } = await holder(service);
    await cancelExits(service, trader);
    await told(service, trader, 'position.unprotected');
    for (let n = 0; n < 3; n++) await compareNow(service.db);

    await trader.post(`${ORDERS}/close`, { trade_pair: BTC });
    const end = await told(service, trader, 'position.protected');

    const { body } = await trader.get('/v1/events?limit=500&type=position.unprotected');
    expect(body).to.have.length(1);
    expect(end.data).to.deep.include({ reason: 'position_closed', side: null, size: null });
  });

  it('are reported missing at once when a read shows that they are', async () => {
    const { trader } = await holder(service);
    await comparedUntil(service.db, () => wereFoundAlive(service.db, trader.traderId));
    await cancelExits(service, trader);
    await new Promise((resolve) => setTimeout(resolve, 5_500)); // the network omits its section of orders without orders: that is looked into every 5 s
    expect(await missingOf(service.db, trader.traderId)).to.deep.equal([]);

    await trader.get('/v1/positions/netvenue');

    expect(await eventually(async () => (await missingOf(service.db, trader.traderId)).length === 1)).to.equal(true);
  });

  it('are reported missing when a tp-sl at a price that was reached has cancelled them', async () => {
    const held = await holder(cooling);
    const { trader } = held;

    const reply = await trader.post(TP_SL, { trade_pair: BTC, stop_loss: 110_000 });
    const lost = await eventually(() => logged(trader, 'position.unprotected')); // the network has said it: nothing to confirm

    expect(reply.body).to.include({ success: false, lifecycle: 'cancelled', protection: 'failed' });
    expect(lost.data).to.deep.include({ reason: 'exits_cancelled', live: [] });
    expect(lost.data.message).to.match(/pause/);
    expect(lost.data.wanted).to.deep.equal([
      { order_uuid: reply.body.order_uuid, take_profit: null, stop_loss: '110000', trailing_stop: null, size: null },
    ]);
    await expectOnEveryChannel(held, lost);
    const change = await logged(trader, 'order.updated');
    expect(change?.data).to.include({ action: 'protect', lifecycle: 'cancelled' });
    await expectOnEveryChannel(held, change as Logged);
  });

  it('are no longer wanted after an elimination, which is reported of every order that it cancels', async () => {
    const held = await holder(service);
    const { trader } = held;
    const exits = await trader.post(TP_SL, { trade_pair: BTC, stop_loss: 91_000 });
    const rests = await trader.post(ORDERS, limit({ trade_pair: 'ETHUSDC', limit_price: 1_000, stop_loss: 900 }));
    await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), elimination: 'MAX_TOTAL_DRAWDOWN' });

    const ended = (uuid: string) =>
      comparedUntil(service.db, async () =>
        (await trader.get('/v1/events?limit=500&type=order.updated')).body.find(
          ({ data }: Logged) => data.action === 'lifecycle' && data.order_uuid === uuid,
        ),
      );
    const events = [await ended(exits.body.order_uuid), await ended(rests.body.order_uuid)] as Logged[];

    expect(events.map(({ data }) => data.lifecycle)).to.deep.equal(['cancelled', 'cancelled']);
    for (const event of events) await expectOnEveryChannel(held, event);
    for (let n = 0; n < 3; n++) await compareNow(service.db);
    expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('of a triggered order whose child was refused end with it, although nobody reads it', async () => {
    const held = await holder(service, {});
    const { trader } = held;
    const stop = { execution_type: 'STOP_LIMIT', stop_price: 105_000, limit_price: 120_000, quantity: 0.01 };
    const { body } = await trader.post(ORDERS, limit({ ...stop, stop_loss: 80_000 }));
    await trader.post(ORDERS, market({ leverage: 1.4 })); // no room is left for the child
    service.miner.setPrice(BTC, 106_000);

    const event = (await comparedUntil(service.db, async () =>
      (
        await trader.get('/v1/events?limit=500&type=order.updated')
      ).body.find(({ data }: Logged) => data.action === 'lifecycle' && data.order_uuid === body.order_uuid),
    )) as Logged;

    expect(event.data).to.include({ lifecycle: 'ended', position_changed: false });
    await expectOnEveryChannel(held, event);
    expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
  });

  it('of an order that rested are wanted from its fill on, which is reported although nobody reads it', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit({ stop_loss: 80_000 }));
    service.miner.setPrice(BTC, 89_000);
    await comparedUntil(service.db, async () => (await logged(trader, 'order.updated'))?.data.lifecycle === 'filled');
    await cancelExits(service, trader);

    const lost = await told(service, trader, 'position.unprotected');

    expect(lost.data.wanted).to.deep.include({
      ...{ order_uuid: body.order_uuid, take_profit: null, stop_loss: '80000', trailing_stop: null, size: '0.01' },
    });
  });

  it('are not missed once they were executed, withdrawn, or replaced by those of a later command', async () => {
    const [executed, withdrawn, replaced] = [
      await holder(service, {}),
      await holder(service, {}),
      await holder(service),
    ];
    await executed.trader.post(TP_SL, { trade_pair: BTC, stop_loss: 99_000, quantity: 0.004 });
    const { body } = await withdrawn.trader.post(TP_SL, { trade_pair: BTC, stop_loss: 80_000 });
    await withdrawn.trader.delete(`${ORDERS}/${body.order_uuid}?trade_pair=${BTC}`);
    await replaced.trader.post(TP_SL, { trade_pair: BTC, take_profit: 120_000 });
    service.miner.setPrice(BTC, 98_000);
    service.miner.setPrice(BTC, 100_000);

    for (let n = 0; n < 6; n++) {
      await compareNow(service.db);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }

    for (const { trader } of [executed, withdrawn, replaced]) {
      expect(await positionsOf(service, trader)).to.have.length(1);
      expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
    }
  });

  it('of a position that was closed are not missed in the next one of its pair, whose own are', async () => {
    const [attached, protecting] = [await holder(service), await holder(service, {})];
    await protecting.trader.post(TP_SL, { trade_pair: BTC, stop_loss: 80_000 });
    for (const { trader } of [attached, protecting]) {
      expect((await trader.post(`${ORDERS}/close`, { trade_pair: BTC })).status).to.equal(200);
      await trader.post(ORDERS, market());
    }

    for (let n = 0; n < 6; n++) {
      await compareNow(service.db);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    for (const { trader } of [attached, protecting]) {
      expect(await positionsOf(service, trader)).to.have.length(1);
      expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
    }

    const { trader } = protecting;
    const { body } = await trader.post(TP_SL, { trade_pair: BTC, stop_loss: 81_000 });
    await cancelExits(service, trader);
    const lost = await comparedUntil(service.db, () => logged(trader, 'position.unprotected'), {
      traderId: trader.traderId,
    });
    const wanted = lost.data.wanted as { order_uuid: string; stop_loss: string }[];
    expect(wanted.map(({ order_uuid, stop_loss }) => [order_uuid, stop_loss])).to.deep.equal([
      [body.order_uuid, '81000'],
    ]);
  });
});
