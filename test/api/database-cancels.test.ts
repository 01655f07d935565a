import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { orderIdOf } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { effectsUnder, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const ENDPOINTS = '/v1/webhook-endpoints';

/** What ends a statement of a request that waits for a lock of another session. */
const endings: Record<string, { code: string; cancels: boolean; heldMs: number }> = {
  'an operator who cancels it': { code: '57014', cancels: true, heldMs: 1_500 },
  'the limit of a session for locks': { code: '55P03', cancels: false, heldMs: 3_300 },
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

  /** Sends a request while another session holds a table, and meanwhile cancels what waits for it, or not. */
  async function whileLocked(table: string, send: () => Promise<Reply>, by: (typeof endings)[string]): Promise<Reply> {
    await session.query(`begin; lock table ${table} in access exclusive mode`);
    const until = performance.now() + by.heldMs;
    const sending = send();
    for (; performance.now() < until; await pause(50)) if (by.cancels) await cancel();
    await session.query('commit');
    return sending;
  }

  for (const [name, by] of Object.entries(endings))
    it(`${name} (${by.code}): 503 with Retry-After, and an order is accepted once`, async () => {
      const trader = await service.trader();
      const order_uuid = crypto.randomUUID();

      const read = await whileLocked('orders', () => trader.get(ORDERS), by);
      const write = () => trader.post(ENDPOINTS, { url: 'https://hooks.example.com/x', events: ['*'] });
      const written = await whileLocked('webhook_endpoints', write, by);
      const placed = await whileLocked('intents', () => trader.post(ORDERS, market({ order_uuid })), by);

      expectProblem(read, 'SERVICE_UNAVAILABLE', { retryable: true });
      expectProblem(written, 'SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: false });
      expect(read.headers['retry-after']).to.equal('1');
      expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
      expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
      expect(service.log.lines.filter(({ msg }) => msg === 'bug')).to.deep.equal([]);
    });
});
