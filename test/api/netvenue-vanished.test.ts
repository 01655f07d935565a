import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Caller, Reply } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { control, effectsOf, limit, market, restingOf, SUBMIT } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const stop = limit({ execution_type: 'STOP_LIMIT', stop_price: 105_000, limit_price: 120_000 });

/** An elimination cancels with a source that lists leave out; a triggered stop-limit whose child is refused leaves nothing. */
describe('a resting order that both complete records of the network lack', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { style: '2026' } });
  });
  after(() => service.stop());
  afterEach(() => {
    service.miner.faults.clear();
    service.miner.setPrice('BTCUSDC', 100_000);
  });

  const longAgo = (uuid: string) =>
    service.db.any(sql.type(z.object({}))`
      update orders set absent_since = now() - interval '1 minute' where id = ${uuid}`);
  const vanished = async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, { ...stop, quantity: 0.01 });
    if (body.status !== 'accepted') throw new Error(JSON.stringify(body));
    await trader.post(ORDERS, market({ leverage: 1.5 })); // no room is left for the child
    service.miner.setPrice('BTCUSDC', 106_000);
    return { trader, path: `${ORDERS}/${body.order_uuid}`, uuid: String(body.order_uuid) };
  };

  it('is cancelled if the account was eliminated', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit());
    await control(service, 'subaccount', {
      subaccount_id: Number(trader.traderId),
      elimination: 'MAX_TOTAL_DRAWDOWN',
    });

    const status = await trader.get(`${ORDERS}/${body.order_uuid}`);
    const open = await trader.get(`${ORDERS}?state=open`);
    const events = await trader.get('/v1/events?limit=100');

    expect(status.body).to.include({ lifecycle: 'cancelled', remaining: 0 });
    expect(open.body).to.deep.equal([]);
    expect(events.body.at(-1).data).to.include({ action: 'lifecycle', lifecycle: 'cancelled' });
  });

  it('is not known at first, and ended once the records have lacked it for a while', async () => {
    const { trader, path, uuid } = await vanished();

    const first = await trader.get(path);
    const soon = await trader.get(path);
    await longAgo(uuid);
    const later = await trader.get(path);
    const open = await trader.get(`${ORDERS}?state=open`);
    const ended = await trader.get(`${ORDERS}?state=ended`);
    const events = await trader.get('/v1/events?limit=100');

    expect(await restingOf(service, trader)).to.deep.equal([]);
    expect([first, soon].map(({ body }) => body.lifecycle)).to.deep.equal([null, null]);
    expect(later.body).to.include({ lifecycle: 'ended', remaining: 0, executed: null });
    expect(open.body).to.deep.equal([]);
    expect(ended.body).to.have.length(1);
    expect(events.body.at(-1).data).to.include({ action: 'lifecycle', lifecycle: 'ended' });
  });

  it('is no longer absent once a record shows it', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit());
    const uuid = String(body.order_uuid);
    await longAgo(uuid);

    const status = await trader.get(`${ORDERS}/${uuid}`);
    const rows = await service.db.any(sql.type(z.object({ absent_since: z.any() }))`
      select absent_since from orders where id = ${uuid}`);

    expect(status.body).to.include({ lifecycle: 'resting' });
    expect(rows).to.deep.equal([{ absent_since: null }]);
  });

  it('is not ended by a record that is missing', async () => {
    const { trader, path, uuid } = await vanished();
    await longAgo(uuid);
    service.miner.faults.add({ kind: 'status_500', route: '/validator/orders/' });

    const { body } = await trader.get(path);

    expect(body).to.include({ lifecycle: null, remaining: null });
  });

  describe('whose edit or cancellation was lost before', () => {
    /** A verb about an order, which an elimination then cancels without a trace. */
    async function lost(
      kind: 'accept_then_drop' | 'reset',
      verb: (trader: Caller, path: string) => Promise<Reply>,
      others: readonly object[] = [],
    ) {
      const trader = await service.trader();
      for (const other of others) await trader.post(ORDERS, other);
      const { body } = await trader.post(ORDERS, limit());
      service.miner.faults.add({ kind, route: SUBMIT, times: 1 });
      service.miner.faults.add({ kind: 'status_500', route: '/validator/orders/', times: 2 });
      const path = `${ORDERS}/${body.order_uuid}`;
      const reply = await verb(trader, path);
      await eventually(async () => (await trader.get(String(reply.headers.location))).body.state === 'in_doubt');
      const elimination = 'MAX_TOTAL_DRAWDOWN';
      await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), elimination });
      await eventually(async () => (await trader.get(path)).body.lifecycle === 'cancelled');
      return { trader, intent: await trader.pollIntent(reply, 20_000) };
    }
    const edit = (trader: Caller, path: string) =>
      trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }, { prefer: 'wait=0' });
    const cancel = (trader: Caller, path: string) => trader.delete(`${path}?trade_pair=BTCUSDC`, { prefer: 'wait=0' });

    for (const [what, others] of [
      ['no other order', []],
      ['other orders', [market()]],
    ] as const)
      it(`may have been changed: the effect of the edit is unknown, and nobody waits for it; with ${what}`, async () => {
        const { trader, intent } = await lost('accept_then_drop', edit, others);

        expect(effectsOf(service, trader)).to.include('edit');
        expect(intent).to.include({ state: 'failed', effect: 'unknown' });
        expect(intent.problem).to.include({ code: 'V1_ORDER_NOT_RESTING' });
      });

    it('was not cancelled by it, because that would be listed', async () => {
      const { trader, intent } = await lost('reset', cancel);

      expect(effectsOf(service, trader)).to.deep.equal(['limit']);
      expect(intent).to.include({ state: 'failed', effect: 'none' });
    });

    it('was placed, also where the response to that was lost too: who edited it has recorded that it rested', async () => {
      const trader = await service.trader();
      await trader.post(ORDERS, market());
      service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
      service.miner.faults.add({ kind: 'status_500', route: '/validator/' });
      const placed = await trader.post(ORDERS, limit(), { prefer: 'wait=0' });
      await eventually(async () => effectsOf(service, trader).includes('limit'));
      const path = `${ORDERS}/${placed.body.order_uuid}`;
      await edit(trader, path); // it replaces the miner's record of the order
      await eventually(async () => effectsOf(service, trader).includes('edit'));
      await service.db.any(sql.type(z.object({}))`
        update orders set lifecycle = 'resting' where id = ${placed.body.order_uuid}`);
      const elimination = 'MAX_TOTAL_DRAWDOWN';
      await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), elimination });
      service.miner.faults.clear();

      expect(await trader.pollIntent(placed, 30_000)).to.include({ state: 'succeeded' });
      await eventually(async () => (await trader.get(path)).body.lifecycle !== 'resting');
    });
  });
});
