import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { legCloid } from '../../src/kernel/exchange-names.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { type Caller, caller } from '../support/caller.ts';
import { cancelDirectly, readWallets } from '../support/exchange.ts';
import { comparedUntil } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';
import { faultOf } from '../support/stream-schemas.ts';

const ORDERS = '/v1/orders/exvenue';
const long = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const ASYNC = { prefer: 'wait=0' };

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: { wanted: { order_uuid: string }[] } & Record<string, unknown> };

describe('a wallet that two partners have enrolled', function () {
  this.timeout(60_000);
  let service: TestService;
  let unserved: TestService;
  before(async () => {
    [service, unserved] = await Promise.all([
      startService({ settings: { PROTECTION_REPAIR: 'repair' } }),
      startService({ worker: false }),
    ]);
  });
  after(() => Promise.all([service.stop(), unserved.stop()]));

  /** Two partners with the key of one wallet. */
  async function sharing(at: TestService): Promise<[Wallet, Caller & { owner: string }]> {
    const [first, partner] = [await at.wallet(), await at.partner()];
    const enrolled = await partner.post('/v1/sessions', { ex_wallet: first.wallet, private_key: first.privateKey });
    expect(enrolled.status, JSON.stringify(enrolled.body)).to.equal(200);
    return [first, { ...caller(at.url, partner.key, { 'Trader-ID': first.wallet }), owner: partner.owner }];
  }

  it('has the writes of each in order, and none of them wait for the other’s', async () => {
    const [first, second] = await sharing(unserved);
    const ahead = await first.post(ORDERS, long, ASYNC);
    const beside = await second.post(`${ORDERS}/close`, { pair: 'BTC' }, ASYNC);
    const own = await first.post(`${ORDERS}/close`, { pair: 'BTC' }, ASYNC);
    const waits = async (trader: Caller, { headers }: typeof own) =>
      (await trader.get(`/v1/intents/${headers['intent-id']}`)).body.waits_for;

    expect(await waits(second, beside)).to.include({ reason: 'worker', intent_id: null });
    expect(await waits(first, own)).to.include({ reason: 'lane', intent_id: ahead.headers['intent-id'] });
  });

  it('lets one go on at once while operators pause the other, exits included', async () => {
    const [paused, other] = await sharing(service);
    await paused.post(ORDERS, long);
    await service.db.query(sql.unsafe`select pause_work(${paused.owner}, true, 'op', 'asked')`);
    const held = [
      await paused.post(ORDERS, long, { prefer: 'wait=1' }),
      await paused.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=1' }),
    ];

    const closed = await other.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=8' });

    expect(held.map(({ status }) => status)).to.deep.equal([202, 202]);
    expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
    expect(closed.body).to.include({ status: 'filled' });
    await service.db.query(sql.unsafe`select end_pause(${paused.owner}, 'op', 'it is over')`);
  });

  it('notifies each whose exits are missing, of its own', async () => {
    const [first, second] = await sharing(service);
    const placed = [
      await first.post(ORDERS, { ...long, stop_loss: 90_000 }),
      await second.post(ORDERS, { ...long, stop_loss: 80_000 }),
    ];
    const ids = placed.map(({ body }) => String(body.order_id));
    await readWallets(service);
    for (const id of ids) await cancelDirectly(service, first, legCloid(id as IntentId, 'sl'));
    const toldTo = async (trader: Caller, type: string) =>
      ((await trader.get('/v1/events?limit=500')).body as Event[]).find((event) => event.type === type);
    const told = (type: string) =>
      comparedUntil(
        service.db,
        async () => {
          const both = [await toldTo(first, type), await toldTo(second, type)];
          return both[0] && both[1] ? [both[0], both[1]] : null;
        },
        { wallet: first.wallet },
      );

    const lost = await told('position.unprotected');
    await second.post(`${ORDERS}/close`, { pair: 'BTC' });
    const over = await told('position.protected');

    for (const event of [...lost, ...over]) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
    expect(lost.map(({ data }) => data.wanted.map(({ order_uuid }) => order_uuid))).to.deep.equal(
      ids.map((id) => [id]),
    );
    expect(over.map(({ data }) => data.reason)).to.deep.equal(['position_closed', 'position_closed']);
  });

  it('notifies no owner whose exits exist while those of the other are missing', async () => {
    const [first, second] = await sharing(service);
    const { body } = await first.post(ORDERS, { ...long, stop_loss: 90_000 });
    await second.post(ORDERS, { ...long, stop_loss: 80_000 });
    await readWallets(service);
    await cancelDirectly(service, first, legCloid(body.order_id, 'sl'));
    const typesOf = async (trader: Caller) =>
      ((await trader.get('/v1/events?limit=500')).body as Event[]).map(({ type }) => type);

    const isTold = async (type: string) => (await typesOf(first)).includes(type);

    await comparedUntil(service.db, () => isTold('position.unprotected'), { wallet: first.wallet });
    const lackedBy = await service.db.oneFirst(sql.type(z.object({ owners: z.array(z.string()) }))`
      select u.lacked_by as owners from ops.unprotected_positions u where u.trader = ${first.wallet}`);
    await second.post(`${ORDERS}/close`, { pair: 'BTC' });
    await comparedUntil(service.db, () => isTold('position.protected'), { wallet: first.wallet });

    const others = await typesOf(second);
    for (const type of ['position.unprotected', 'position.protected']) expect(others).to.not.include(type);
    expect(lackedBy).to.deep.equal([first.owner]);
  });

  it('has the exits of one put back in its name, whoever has wanted some there since', async () => {
    const [first, second] = await sharing(service);
    const { body } = await first.post(ORDERS, { ...long, stop_loss: 90_000 });
    const rests = await second.post(ORDERS, { ...long, order_type: 'limit', price: '50000', stop_loss: 40_000 });
    await second.delete(`${ORDERS}/${rests.body.ex_order_id}`);
    await readWallets(service);
    await cancelDirectly(service, first, legCloid(body.order_id, 'sl'));
    const typesOf = async (trader: Caller) =>
      ((await trader.get('/v1/events?limit=500')).body as Event[]).map(
        ({ type, data }) => `${type} ${data.action ?? ''}`,
      );

    await comparedUntil(service.db, async () => (await typesOf(first)).includes('position.protected '), {
      wallet: first.wallet,
    });

    expect(await typesOf(first)).to.include('order.updated protect');
    const others = await typesOf(second);
    for (const type of ['position.unprotected ', 'position.protected ', 'order.updated protect'])
      expect(others).to.not.include(type);
  });
});
