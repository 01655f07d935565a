import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { orderIdOf } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { effectsUnder, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const MAX_CONNECTIONS = 60;
const NOTICED_MS = 500; // by then a process knows which of its connections are closed
const settings = { fsync: 'off', full_page_writes: 'off', jit: 'off', max_connections: MAX_CONNECTIONS };

/** How a server that responds rejects all work: it says so with an SQLSTATE, and nothing of the statement happens. */
type Rejection = { code: string; begin(): Promise<unknown>; end(): Promise<unknown> };

describe('a database that rejects all work', function () {
  this.timeout(60_000);
  let dataDir: string;
  let server: Embedded;
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  let operator: pg.Client;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tps-rejects-'));
    server = await startEmbedded({ dataDir, settings });
    await migrate(server.url);
    service = await startService({
      database: { url: server.url, drop: async () => {} },
      settings: { ORDER_DEADLINE_MS: '60000' },
    });
    trader = await service.trader();
    operator = await connect();
    await operator.query('set default_transaction_read_only = off');
  });
  after(async () => {
    await service.stop();
    await operator.end();
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...server.connection, ssl: false });
    client.on('error', () => {}); // the server may end first
    await client.connect();
    return client;
  }

  const setReadOnly = async (value: string) => {
    await operator.query(`alter system set default_transaction_read_only = ${value}`);
    await operator.query('select pg_reload_conf()');
    const client = await connect();
    const shown = () => client.query('show default_transaction_read_only').then(({ rows }) => rows[0]);
    await until('the new setting', async () => (await shown()).default_transaction_read_only === value || null);
    await client.end();
  };

  /** Takes every connection of the server but the operator's. */
  async function takeConnections(): Promise<void> {
    const held = new Set<pg.Client>();
    const take = async () => {
      const client = await connect().catch(() => null);
      if (client) held.add(client);
    };
    taken = held;
    await until('no connection of the service', async () => {
      await Promise.all(Array.from({ length: MAX_CONNECTIONS - held.size }, take));
      const ours = await operator.query(
        `select pg_terminate_backend(pid)
         from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() and pid <> all ($1)`,
        [[...held].map((client) => Reflect.get(client, 'processID'))],
      );
      return ours.rowCount === 0 && held.size >= MAX_CONNECTIONS - 1 ? true : null;
    });
  }
  let taken = new Set<pg.Client>();

  const rejections: Record<string, Rejection> = {
    'as a primary that became read-only': {
      code: '25006',
      begin: () => setReadOnly('on'),
      end: () => setReadOnly('off'),
    },
    'with a full disk': {
      code: '53100',
      begin: () =>
        operator.query(`
          create function write_to_full_disk() returns trigger language plpgsql as $$
            begin copy (select 1) to '/dev/full'; return new; end $$;
          create trigger full_disk before insert or update on intents for each row execute function write_to_full_disk()`),
      end: () => operator.query('drop function write_to_full_disk cascade'),
    },
    'with too many connections': {
      code: '53300',
      begin: takeConnections,
      end: () => Promise.all([...taken].map((client) => client.end())),
    },
    'as the platform rotates its credentials, and the process still has the former ones': {
      code: '28000',
      begin: async () => {
        await operator.query('alter role current_user nologin');
        await operator.query(`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`);
        await pause(NOTICED_MS);
      },
      end: () => operator.query('alter role current_user login'),
    },
  };

  for (const [how, { code, begin, end }] of Object.entries(rejections))
    it(`${how} (${code}): 503 that denies no effect, and nothing is lost`, async () => {
      const ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
      const [earlier, fresh] = [market({ order_uuid: ids[0] }), market({ order_uuid: ids[1] })];
      const accepted = await trader.post(ORDERS, earlier, { prefer: 'wait=0' });
      await begin();
      const [nameless, retried, named, keyed, registered] = await Promise.all([
        trader.post(ORDERS, market(), { prefer: 'wait=0' }),
        trader.post(ORDERS, earlier, { prefer: 'wait=0' }),
        trader.post(ORDERS, fresh, { prefer: 'wait=0' }),
        trader.post(ORDERS, market(), { prefer: 'wait=0', key: crypto.randomUUID() }),
        trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 1_000 }),
      ]).finally(end);
      const order = await trader.poll(accepted, 30_000);
      const repeats = await Promise.all([earlier, fresh].map((body) => eventually(() => trader.post(ORDERS, body))));

      expectProblem(nameless, 'SERVICE_UNAVAILABLE', { effect: 'none', retryable: true });
      for (const reply of [retried, named, keyed])
        expectProblem(reply, 'SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: true });
      expectProblem(registered, 'SERVICE_UNAVAILABLE', { effect: 'none', retryable: true });
      for (const { headers } of [nameless, retried, named, keyed, registered])
        expect(headers['retry-after']).to.equal('1');
      expect(service.log.lines.filter(({ msg }) => msg === 'bug')).to.deep.equal([]);
      expect(order).to.include({ status: 'completed' });
      expect(repeats.map(({ status }) => status)).to.deep.equal([200, 200]);
      for (const id of ids) expect(effectsUnder(service, orderIdOf(trader.owner, id))).to.have.length(1);
    });

  async function eventually(ask: () => Promise<Reply>): Promise<Reply> {
    for (let attempts = 0; ; attempts += 1) {
      const reply = await ask();
      if (reply.status !== 503 || attempts > 100) return reply;
      await pause(100);
    }
  }
});
