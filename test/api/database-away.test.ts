import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Reply } from '../support/caller.ts';
import { effectsUnder, market, SUBMIT } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

/** Crashes keep committed data as in production, because the operating system stays up. */
const settings = { fsync: 'off', full_page_writes: 'off', jit: 'off' };

describe('an outage of the database', () => {
  let dataDir: string;
  let server: Embedded;
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;

  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  before(async () => {
    process.on('unhandledRejection', note);
    dataDir = await mkdtemp(join(tmpdir(), 'tps-away-'));
    server = await startEmbedded({ dataDir, settings });
    await migrate(server.url);
    service = await startService({ database: { url: server.url, drop: async () => {} } });
    trader = await service.trader();
  });
  after(async () => {
    await service.stop();
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
    process.off('unhandledRejection', note);
  });
  afterEach('nothing would have ended the process', () => {
    expect(unhandled).to.deep.equal([]);
  });

  const crash = () => server.stop('immediate');
  const restart = async () => {
    server = await startEmbedded({ dataDir, settings });
  };
  const slowly = (delayMs: number) => service.miner.faults.add({ kind: 'late', route: SUBMIT, times: 1, delayMs });

  /** The response to a request once it is no longer 503. */
  async function retrying(ask: () => Promise<Reply>): Promise<Reply> {
    for (let attempts = 0; ; attempts += 1) {
      const reply = await ask();
      if (reply.status !== 503 || attempts > 100) return reply;
      await pause(100);
    }
  }

  it('leads to 503 during the outage, and to normal responses afterwards', async () => {
    await crash();
    const replies = await Promise.all([
      trader.get('/v1/intents/01890a5d-ac96-774b-bcce-b302099a8057'),
      trader.post(ORDERS, market()),
      trader.delete(`${ORDERS}/01890a5d-ac96-774b-bcce-b302099a8057?trade_pair=BTCUSDC`),
      trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 1_000 }),
    ]);
    const health = await trader.get('/healthz');
    await restart();

    const order = await retrying(() => trader.post(ORDERS, market()));

    for (const reply of replies) expectProblem(reply, 'SERVICE_UNAVAILABLE', { retryable: true });
    for (const reply of replies.slice(1)) expect(reply.body.error.effect).to.equal('none');
    expect(health.status).to.equal(200);
    expect(order.status).to.equal(200);
    expect(effectsUnder(service, order.body.order_uuid)).to.have.length(1);
  });

  it('settles in-flight intents, accepted before, exactly once afterwards', async () => {
    slowly(600);
    const accepted = await trader.post(ORDERS, market(), { prefer: 'wait=0' });
    await sent(accepted.body.order_uuid);
    await crash();
    await pause(700); // the venue responds while nothing can be recorded
    await restart();

    await retrying(() => trader.get('/v1/intents/01890a5d-ac96-774b-bcce-b302099a8057'));
    const order = await trader.poll(accepted, 18_000);

    expect(accepted.status).to.equal(202);
    expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(effectsUnder(service, accepted.body.order_uuid)).to.have.length(1);
  }).timeout(40_000);

  it('settles waiting intents, accepted before, exactly once afterwards', async () => {
    slowly(400);
    const trades = await Promise.all([1, 2, 3].map(() => trader.post(ORDERS, market(), { prefer: 'wait=0' })));
    await crash();
    await restart();

    await retrying(() => trader.get('/v1/intents/01890a5d-ac96-774b-bcce-b302099a8057'));
    const orders = await Promise.all(trades.map((reply) => trader.poll(reply, 18_000)));

    expect(trades.map(({ status }) => status)).to.deep.equal([202, 202, 202]);
    for (const order of orders) {
      expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
      expect(effectsUnder(service, order.order_uuid)).to.have.length(1);
    }
  }).timeout(40_000);

  it('never reports an accepted order as without effect', async () => {
    slowly(500);
    const waiting = trader.post(ORDERS, market());
    await pause(200);
    await crash();

    const reply = await waiting;
    await restart();
    const intent = await retrying(() => trader.get(`/v1/intents/${reply.body.error.intent_id}`));

    expectProblem(reply, 'SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: false });
    expect(reply.headers['intent-id']).to.equal(reply.body.error.intent_id);
    expect(intent.status).to.equal(200);
  }).timeout(30_000);

  it('does not fail a request that arrives within a short outage', async () => {
    await retrying(() => trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' })));
    const during = retrying(async () => {
      const reply = await trader.post(ORDERS, market({ trade_pair: 'SOLUSDC' }));
      return reply;
    });
    await crash();
    await restart();

    const reply = await during;

    expect(reply.status).to.equal(200);
    expect(effectsUnder(service, reply.body.order_uuid)).to.have.length(1);
  }).timeout(30_000);

  /** Waits until an order's bytes have been sent. */
  async function sent(id: string): Promise<void> {
    for (;;) {
      const { body } = await trader.get(`/v1/intents/${id}`);
      if (body.sending_at) return;
      await pause(20);
    }
  }
});
