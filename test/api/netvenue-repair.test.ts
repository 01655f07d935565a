import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Caller } from '../support/caller.ts';
import { effectsOf, limit, market, positionsOf, restingOf } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { cancelExits, comparedUntil, compareNow } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const TP_SL = `${ORDERS}/tp-sl`;
const BTC = 'BTCUSDC';

describe('missing exits, where the deployment repairs,', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { style: '2026' }, settings: { PROTECTION_REPAIR: 'repair' } });
  });
  after(() => service.stop());

  async function holder() {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    return { trader, uuid: String(body.order_uuid) };
  }
  const logged = async (trader: Caller, type: string): Promise<{ data: Record<string, unknown> } | undefined> =>
    (await trader.get(`/v1/events?limit=500&type=${type}`)).body.at(-1);
  const told = (trader: Caller, type: string) => comparedUntil(service.db, () => logged(trader, type));

  it('are put back once, as an order of the trader', async () => {
    const held = await holder();
    const { trader } = held;
    await cancelExits(service, trader);

    const lost = await told(trader, 'position.unprotected');
    const again = await told(trader, 'position.protected');
    for (let n = 0; n < 5; n++) await compareNow(service.db);

    const resting = await restingOf(service, trader);
    expect(lost.data).to.deep.include({ repair: 'submitted' });
    expect(again.data).to.deep.include({ reason: 'exits_live' });
    expect(resting.map(({ stopLoss, quantity }) => [stopLoss, Math.abs(quantity ?? 0)])).to.deep.equal([
      [90_000, 0.01],
    ]);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'bracket', 'cancel', 'bracket']);
    expect((await logged(trader, 'order.updated'))?.data).to.include({ action: 'protect', lifecycle: 'resting' });
  });

  it('are put back as an order of the partner who has the trader by now', async () => {
    const [{ trader }, partner] = [await holder(), await service.partner()];
    await service.db.query(
      sql.unsafe`update subaccounts set owner = ${partner.owner} where subaccount_id = ${Number(trader.traderId)}`,
    );
    await cancelExits(service, trader);

    await told(partner, 'position.protected');

    expect((await logged(partner, 'order.updated'))?.data).to.include({ action: 'protect', lifecycle: 'resting' });
    expect((await logged(trader, 'order.updated'))?.data.action).not.to.equal('protect');
  });

  it('are not put back that a tp-sl has replaced before anybody read that their order was filled', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, limit({ stop_loss: 80_000 }));
    const wasCompared = sql.type(z.object({}))`
      select from wanted_exits w where w.trader like ${`%\\_${trader.traderId}`} and w.compared_at is not null and not w.is_changed`;
    await comparedUntil(service.db, () => service.db.exists(wasCompared));
    service.miner.setPrice(BTC, 89_000);
    service.miner.setPrice(BTC, 100_000);

    await trader.post(TP_SL, { trade_pair: BTC, stop_loss: 85_000 });
    for (let n = 0; n < 6; n++) {
      await compareNow(service.db);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }

    expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([85_000]);
    expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
  });

  it('of one order are put back beside those of another, for their size', async () => {
    const { trader, uuid } = await holder();
    await trader.post(ORDERS, market({ stop_loss: 92_000 }));
    const [first] = (await restingOf(service, trader)).filter((order) => order.uuid.startsWith(uuid));
    await cancelExits(service, trader, first?.uuid);

    await told(trader, 'position.protected');
    for (let n = 0; n < 5; n++) await compareNow(service.db);

    const resting = (await restingOf(service, trader)).map(({ stopLoss, quantity }) => [
      stopLoss,
      Math.abs(quantity ?? 0),
    ]);
    expect(resting).to.have.deep.members([
      [90_000, 0.01],
      [92_000, 0.02], // the network sized it for the whole position
    ]);
  });

  it('are put back as soon as that is possible, however often it was not', async () => {
    const { trader } = await holder();
    const query = (statement: ReturnType<typeof sql.fragment>) =>
      service.db.any(sql.type(z.object({ id: z.string() }))`${statement}`);
    const repairs = (state: string) =>
      query(sql.fragment`
        select i.id from intents i where i.owner = ${trader.owner} and i.kind = 'network/protect' and i.state = ${state}`);
    await query(sql.fragment`select 'netvenue' as id from pause_work('netvenue', true, 'an operator', 'maintenance')`);
    await cancelExits(service, trader);

    for (let n = 1; n <= 5; n++) {
      const [repair] = await comparedUntil(service.db, async () => {
        const waiting = await repairs('queued');
        return waiting.length > 0 && waiting;
      });
      await query(sql.fragment`update intents set deadline_at = now() where id = ${repair?.id ?? ''} returning id`);
      await query(sql.fragment`
        update queue_jobs set run_at = now() where payload ->> 'intent_id' = ${repair?.id ?? ''} returning id::text`);
      await until('it expires', async () => (await repairs('expired')).length === n || null);
    }
    await query(sql.fragment`select 'netvenue' as id from end_pause('netvenue', 'an operator', 'done')`);
    await told(trader, 'position.protected');

    const reported = (await trader.get('/v1/events?limit=500&type=position.unprotected')).body;
    expect(reported.map(({ data }: { data: { repair: string } }) => data.repair)).to.deep.equal([
      'submitted',
      'failed',
    ]);
    expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([90_000]);
  });

  it('of an order that closed its position are not put into the next one', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(ORDERS, market({ order_type: 'SHORT', quantity: 0.01, stop_loss: 110_000 }));
    await trader.post(ORDERS, market());

    for (let n = 0; n < 4; n++) {
      await compareNow(service.db);
      await service.db.query(sql.unsafe`update wanted_exits set missing_since = missing_since - interval '1 minute'`);
    }

    expect(await logged(trader, 'position.unprotected')).to.equal(undefined);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'market', 'market']);
    expect(await positionsOf(service, trader)).to.have.length(1);
  });

  it('are not put back for a position that is gone, nor against an order of the caller in the meantime', async () => {
    const [gone, changed] = [await holder(), await holder()];
    await cancelExits(service, gone.trader);
    await gone.trader.post(`${ORDERS}/close`, { trade_pair: BTC });
    await cancelExits(service, changed.trader);
    await changed.trader.post(TP_SL, { trade_pair: BTC, stop_loss: 85_000 });

    for (let n = 0; n < 8; n++) {
      await compareNow(service.db);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }

    expect(await restingOf(service, gone.trader)).to.deep.equal([]);
    expect(await positionsOf(service, gone.trader)).to.deep.equal([]);
    expect((await restingOf(service, changed.trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([85_000]);
  });
});
