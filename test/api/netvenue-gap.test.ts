import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Hotkey, hotkeyOf, newIntentId } from '../../src/kernel/ids.ts';
import type { Dashboard, Netvenue } from '../../src/venues/network/adapter/types.ts';
import { auditNetworkExits } from '../../src/venues/network/orders/audit.ts';
import { close } from '../../src/venues/network/orders/close.ts';
import { protect } from '../../src/venues/network/orders/protect.ts';
import { limit, market, venueOf } from '../support/orders.ts';
import { comparedUntil, wereFoundAlive } from '../support/protection.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('records of the network that lack a position', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  /** The network as it is after a restart: complete records that have nothing, or only the positions that have ended. */
  const restarted = (has: 'nothing' | 'what ended' = 'nothing'): Netvenue => ({
    ...venueOf(service),
    orders: async () => ({ kind: 'absent' }),
    async dashboard(hotkey) {
      const read = await venueOf(service).dashboard(hotkey);
      if (read.kind !== 'found') return read;
      const positions = read.data.positions.filter(({ closeMs }) => has === 'what ended' && closeMs !== null);
      const emptied: Dashboard = { ...read.data, positions, openOrders: [], closedOrders: [] };
      return { kind: 'found', data: emptied };
    },
  });
  const audit = async (netvenue: Netvenue) => {
    await service.db.query(sql.type(z.object({}))`update wanted_exits set due_at = now() where due_at is not null`);
    await auditNetworkExits({ ...service.runtime, db: service.db, venues: { netvenue } });
    await service.db.query(sql.type(z.object({}))`delete from queue_jobs where task = 'network/audit'`); // no other one in between
  };
  /** A trader with a position whose exits the service has found alive, a while ago. */
  const holder = async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    await comparedUntil(service.db, () => wereFoundAlive(service.db, trader.traderId));
    await passed(60);
    return trader;
  };
  const wantedOf = (traderId: string) =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select jsonb_array_length(w.wanted) as count from wanted_exits w where w.trader = ${`${ENTITY}_${traderId}`}`);
  const passed = (seconds: number) =>
    service.db.query(sql.type(z.object({}))`
      update wanted_exits
      set wanted_at = wanted_at - make_interval(secs => ${seconds}),
        seen = case when seen ? 'unseen_since' then
          jsonb_set(seen, '{unseen_since}', to_jsonb((seen ->> 'unseen_since')::numeric - ${seconds}::numeric)) else seen end`);

  it('do not make its exits unwanted at once: they are compared again when the network has it again', async () => {
    const trader = await holder();

    await audit(restarted());
    await audit(restarted());
    expect(await wantedOf(trader.traderId)).to.equal(1);
    await audit(venueOf(service));
    await passed(60);
    await audit(restarted());
    expect(await wantedOf(trader.traderId)).to.equal(1);
  });

  it('make them so once they have lacked it for a while', async () => {
    const trader = await holder();

    await audit(restarted());
    await passed(11);
    await audit(restarted());

    expect(await wantedOf(trader.traderId)).to.equal(0);
  });

  it('do not make them so at once because they have one of the pair that ended before it', async () => {
    const trader = await holder();
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    await trader.post(ORDERS, market({ stop_loss: 91_000 }));
    await comparedUntil(service.db, () => wereFoundAlive(service.db, trader.traderId));
    await passed(60);

    await audit(restarted('what ended'));

    expect(await wantedOf(trader.traderId)).to.equal(1);
  });

  const prepared = async (traderId: string, netvenue = restarted()) => {
    const trader = hotkeyOf(ENTITY as Hotkey, Number(traderId));
    const common = { trader, subaccount_id: Number(traderId), trade_pair: 'BTCUSDC' };
    const deps = { ...service.runtime, venues: { netvenue } } as never; // as: preparing uses nothing else
    const closing = { id: newIntentId(), lane: null, attempts: 1, request: common } as never; // as: nor of an intent
    const request = { ...common, protection: { trade_pair: 'BTCUSDC', stop_loss: 90_000 } };
    return [await close.prepare(closing, deps), await protect.prepare({ id: newIntentId(), request } as never, deps)];
  };
  const problem = { code: 'V1_NO_POSITION' };

  it('do not end a close or a tp-sl because they have one of the pair that ended before it', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    const closed = await prepared(trader.traderId, restarted('what ended'));
    await trader.post(ORDERS, market());
    const opened = await prepared(trader.traderId, restarted('what ended'));

    expect(closed).to.deep.equal([{ fail: problem }, { fail: problem }]);
    expect(opened).to.deep.equal([{ wait: problem }, { wait: problem }]);
  });

  it('do not end a close or a tp-sl at once: they are read again until the deadline', async () => {
    const [held, never] = [await holder(), await service.trader()];
    const rested = await service.trader();
    const { body } = await rested.post(ORDERS, limit());
    await service.db.query(sql.type(z.object({}))`
      update orders set created_at = now() - interval '2 days' where id = ${String(body.order_uuid)}`);
    service.miner.setPrice('BTCUSDC', 89_000);
    const filled = await rested.get(`${ORDERS}/${body.order_uuid}`);
    service.miner.setPrice('BTCUSDC', 100_000);

    expect(filled.body).to.include({ lifecycle: 'filled' });
    expect(await prepared(rested.traderId), 'rested long').to.deep.equal([{ wait: problem }, { wait: problem }]);
    expect(await prepared(held.traderId)).to.deep.equal([{ wait: problem }, { wait: problem }]);
    expect(await prepared(never.traderId)).to.deep.equal([{ fail: problem }, { fail: problem }]);
  });
});
