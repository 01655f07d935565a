import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { followed, startStreamed } from '../support/streamed.ts';

const LIMIT = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 };
const LONGER_THAN_A_JOB_WAITS_MS = 1_500;

describe('a worker that gets a signal to stop', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed();
  });
  after(() => service.stop());

  it('begins nothing new while it leaves the stream of the exchange, however long that takes', async () => {
    const trader = await service.wallet();
    await trader.post('/v1/orders/exvenue', LIMIT);
    await followed(service, trader);

    const { state, stopped } = await service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from upstream_slots where upstream like 'stream:%' for update`);
      await sleep(500); // its next turn waits for that
      const stopping = service.stopWorkers();
      const { headers } = await trader.post('/v1/orders/exvenue', LIMIT, { prefer: 'wait=0' });
      await sleep(LONGER_THAN_A_JOB_WAITS_MS);
      const { state } = await tx.one(
        sql.type(z.object({ state: z.string() }))`select state from intents where id = ${String(headers['intent-id'])}`,
      );
      return { state, stopped: stopping };
    });
    await stopped;

    expect(state).to.equal('queued');
  });

  it('is not ready from then on, and no longer registered once it has stopped', async () => {
    const { runtime } = await service.startWorker();
    const registered = sql.type(z.object({}))`select from worker_processes`;
    const isRegistered = () => service.db.exists(registered);
    const before = [await runtime.readiness.failing(), await until('it is registered', isRegistered)];

    const stopping = service.stopWorkers();
    const failing = await runtime.readiness.failing();
    await stopping;

    expect([...before, failing, await isRegistered()]).to.deep.equal([[], true, ['stopping'], false]);
  });

  it('ends soon, also if it is stopped right after its start', async () => {
    const tookMs: number[] = [];
    for (let afterMs = 0; afterMs <= 200; afterMs += 25) {
      await service.startWorker();
      await sleep(afterMs);
      const toldAt = performance.now();
      await service.stopWorkers();
      tookMs.push(performance.now() - toldAt);
    }

    expect(Math.max(...tookMs)).to.be.below(4_000);
  });
});
