import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Reply } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const ROUTE = 'POST /miner/api/submit-order';
const THREADS = 10;
const ENTRY_SLOTS = 7; // of ten threads, one is for look-ups and two are for exits
const LATER = { prefer: 'wait=0' };

describe('a miner whose connections were reset', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { threads: THREADS },
      settings: {
        NETVENUE_MINER_THREADS: String(THREADS),
        NETVENUE_EXIT_SLOTS: '2',
        NETVENUE_IN_FLIGHT_MS: '45000',
      },
    });
  });
  after(() => service.stop());

  const hasLeftNoted = ({ body }: Reply) =>
    service.db.oneFirst(
      sql.type(z.object({ noted: z.boolean() }))`
        select coalesce(left_at between sending_at and settled_at, false) as noted
        from intents
        where id = ${body.order_uuid}`,
    );

  it('lets exits through at once and entries within 5 s, while nothing proves yet what came of the requests', async () => {
    const [holder, other] = [await service.trader(), await service.trader()];
    const quiet = await holder.post(ORDERS, market());
    const doubtful = await Promise.all(Array.from({ length: ENTRY_SLOTS }, () => service.trader()));
    service.miner.faults.add({ kind: 'reset', route: ROUTE, times: ENTRY_SLOTS });
    const lost = await Promise.all(doubtful.map((trader) => trader.post(ORDERS, market(), LATER)));
    await until('all are in doubt', async () => {
      const states = await Promise.all(
        lost.map(async ({ body }, n) => (await doubtful[n]?.get(`${ORDERS}/${body.order_uuid}`))?.body.status),
      );
      return states.every((state) => state === 'unknown') || null;
    });

    const startedAt = performance.now();
    const [closed, entered] = await Promise.all([
      holder
        .post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' })
        .then((reply) => ({ reply, ms: performance.now() - startedAt })),
      other.post(ORDERS, market()).then((reply) => ({ reply, ms: performance.now() - startedAt })),
    ]);

    expect(closed.reply.status, JSON.stringify(closed.reply.body)).to.equal(200);
    expect(closed.ms).to.be.below(2_000);
    expect(entered.reply.status, JSON.stringify(entered.reply.body)).to.equal(200);
    expect(entered.ms).to.be.below(5_000);
    expect(service.miner.mostAtOnce()).to.be.at.most(THREADS);
    expect(await hasLeftNoted(quiet)).to.equal(false);
    expect(await hasLeftNoted(entered.reply)).to.equal(true); // so that it counts for the next proof
  });

  it('is reported within seconds when the miner accepted a close and did not carry it out; it can be sent again', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    service.miner.faults.add({ kind: 'idle_200', route: ROUTE, times: 1 });
    const startedAt = performance.now();

    const first = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    const ms = performance.now() - startedAt;
    const second = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    expectProblem(first, 'NOT_CARRIED_OUT', { effect: 'none' });
    expect(ms).to.be.within(5_000, 15_000);
    expect(second.status, JSON.stringify(second.body)).to.equal(200);
  });
});
