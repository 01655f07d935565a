import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { orderIdOf } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { type Line, lineTo } from '../support/lines.ts';
import { effectsUnder, market } from '../support/orders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const SMALL = { leverage: 0.001 }; // the account has the means for all of them
/** The promises are 5 and 15 s, on a machine that is not busy with other tests. */
const RESPONSE_WITHIN_MS = 10_000;
const WORKING_AGAIN_WITHIN_MS = 40_000;

/** Connections that stay open and carry nothing: a stopped server process, or packets that a network drops. */
describe('a database that has gone silent', function () {
  this.timeout(90_000);
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  let web: Line;
  let worker: Line;

  before(async () => {
    const database = await freshDatabase();
    [web, worker] = await Promise.all([lineTo(database.url), lineTo(database.url)]);
    service = await startService({
      database,
      settings: { DATABASE_URL: web.url, DATABASE_DIRECT_URL: worker.url, ORDER_DEADLINE_MS: '60000' },
    });
    trader = await service.trader();
  });
  after(async () => {
    for (const line of [web, worker]) line.restore();
    await service.stop();
    await Promise.all([web.close(), worker.close()]);
  });

  const timed = async (asked: Promise<Reply>) => {
    const startedAt = Date.now();
    const reply = await asked;
    return { reply, ms: Date.now() - startedAt };
  };
  const order = (more: object = {}) => trader.post(ORDERS, market({ ...SMALL, ...more }), { prefer: 'wait=0' });

  it('that web was connected to: every request gets a response, and the next one by a new connection', async () => {
    await Promise.all([1, 2, 3].map(() => order()));
    web.silence('open');

    const during = await Promise.all(Array.from({ length: 8 }, () => timed(order())));
    const after = await timed(order());

    for (const { reply, ms } of [...during, after]) {
      expect(ms).to.be.below(RESPONSE_WITHIN_MS);
      expect(reply.status).to.be.oneOf([202, 503]);
      if (reply.status === 503) expect(reply.body.error.code).to.equal('SERVICE_UNAVAILABLE');
    }
    expect(after.reply.status).to.equal(202);
  });

  it('for all of web: 503 and not ready; an order that was sent before is never reported as without effect', async () => {
    const order_uuid = crypto.randomUUID();
    await order({ order_uuid });
    await trader.get('/readyz'); // its result is kept for a second, and so is that of the process's own check
    web.silence('all');

    const [repeat, read, ready] = await Promise.all([
      timed(order({ order_uuid })),
      timed(trader.get(`/v1/intents/${order_uuid}`)),
      timed(whileItIs(200, () => trader.get('/readyz'))),
    ]);
    web.restore();
    const again = await whileItIs(503, () => order({ order_uuid }));

    for (const { reply, ms } of [repeat, read, ready]) {
      expect(reply.status).to.equal(503);
      expect(ms).to.be.below(RESPONSE_WITHIN_MS);
    }
    expect(repeat.reply.body.error.effect).to.equal('unknown');
    expect(ready.reply.body.error.checks).to.deep.equal(['database']);
    expect(again.status).to.be.oneOf([200, 202]);
    if (again.status === 202) await trader.poll(again, WORKING_AGAIN_WITHIN_MS);
    expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
  });

  it('that the worker was connected to: its work goes on, and nothing happens twice', async () => {
    worker.silence('open');
    const accepted = await Promise.all([1, 2].map(() => order()));

    const orders = await Promise.all(accepted.map((reply) => trader.poll(reply, WORKING_AGAIN_WITHIN_MS)));

    expect(orders.map(({ status }) => status)).to.deep.equal(['completed', 'completed']);
    for (const { order_uuid } of orders) expect(effectsUnder(service, order_uuid)).to.have.length(1);
  });

  it('for all of the worker: its work goes on after the end', async () => {
    worker.silence('all');
    const accepted = await Promise.all([1, 2].map(() => order()));
    await pause(9_000);
    worker.restore();

    const orders = await Promise.all(accepted.map((reply) => trader.poll(reply, WORKING_AGAIN_WITHIN_MS)));

    expect(orders.map(({ status }) => status)).to.deep.equal(['completed', 'completed']);
    for (const { order_uuid } of orders) expect(effectsUnder(service, order_uuid)).to.have.length(1);
  });

  /** Asks until the status is another one, for as long as the promise allows. */
  async function whileItIs(status: number, ask: () => Promise<Reply>): Promise<Reply> {
    const until = Date.now() + WORKING_AGAIN_WITHIN_MS;
    for (;;) {
      const reply = await ask();
      if (reply.status !== status || Date.now() > until) return reply;
    }
  }
});
