import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { orderIdOf } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { effectsUnder, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const ENDPOINTS = '/v1/webhook-endpoints';

/** What ends a statement of a request that waits for a lock of another session. */
const endings: Record<string, { code: string; limitMs?: number }> = {
  'an operator who cancels it': { code: '57014' },
  'the limit of the database for locks': { code: '55P03', limitMs: 300 },
};

describe('a statement that the database gives up', function () {
  this.timeout(60_000);
  let service: TestService;
  let session: pg.Client;
  beforeEach(async () => {
    service = await startService();
    session = new pg.Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
  });
  afterEach(async () => {
    await session.end();
    await service.stop();
  });

  /** By another session than the one that holds the lock: a transaction sees others as they were at its first look. */
  const cancel = () =>
    service.db.query(sql.unsafe`select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and usename = 'tps_web'`);

  /** Limits how long sessions of web wait for a lock, as a role or a database can. */
  async function limitLocks(ms: number): Promise<void> {
    await session.query(`do $$ begin
      execute format('alter role tps_web in database %I set lock_timeout = ${ms}', current_database()); end $$`);
    await session.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'tps_web' and datname = current_database()`);
    await until('web again', async () => (await fetch(`${service.url}/readyz`)).ok || null);
  }

  /** Sends a request while another session holds a table for 1.5 s, and meanwhile cancels what waits for it. */
  async function whileLocked(table: string, cancels: boolean, send: () => Promise<Reply>): Promise<Reply> {
    await session.query(`begin; lock table ${table} in access exclusive mode`);
    const until = performance.now() + 1_500;
    const sending = send();
    for (; performance.now() < until; await pause(50)) if (cancels) await cancel();
    await session.query('commit');
    return sending;
  }

  for (const [by, { code, limitMs }] of Object.entries(endings))
    it(`${by} (${code}): 503 with Retry-After, and an order is accepted once`, async () => {
      const trader = await service.trader();
      const order_uuid = crypto.randomUUID();
      if (limitMs) await limitLocks(limitMs);

      const read = await whileLocked('orders', !limitMs, () => trader.get(ORDERS));
      const written = await whileLocked('webhook_endpoints', !limitMs, () =>
        trader.post(ENDPOINTS, { url: 'https://hooks.example.com/x', events: ['*'] }),
      );
      const placed = await whileLocked('intents', !limitMs, () => trader.post(ORDERS, market({ order_uuid })));

      expectProblem(read, 'SERVICE_UNAVAILABLE', { retryable: true });
      expectProblem(written, 'SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: false });
      expect(read.headers['retry-after']).to.equal('1');
      expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
      expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
      expect(service.log.lines.filter(({ msg }) => msg === 'bug')).to.deep.equal([]);
    });
});
