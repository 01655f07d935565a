import pg from 'pg';
import { newSecret } from '../../src/capabilities/webhooks/secrets.ts';
import { readConfig } from '../../src/config.ts';
import { newId } from '../../src/kernel/ids.ts';
import { sealer } from '../../src/kernel/seal.ts';
import { type RunningWorker, startWorker } from '../../src/runtime/worker-process.ts';
import { freshDatabase } from './postgres.ts';
import { until } from './processes.ts';
import { type Receiver, startReceiver } from './receivers.ts';
import { type LogLines, logLines, testSettings } from './service.ts';
import { realSockets } from './sockets.ts';

/** Writes apps, partners and endpoints directly. */
export type Writing = {
  app(): Promise<string>;
  partner(): Promise<string>;
  endpoint(owner: string, url: string, events?: string[]): Promise<{ id: string; secret: string }>;
};

/** Webhooks without the HTTP edge: a separate database, apps and endpoints written directly, workers on demand. */
export type Deliveries = Writing & {
  settings: Record<string, string>;
  log: LogLines;
  /** Rows of one statement. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  emit(app: string, type: string, data?: object): Promise<number>;
  startWorker(): Promise<RunningWorker>;
  /** Waits until no delivery is pending or in flight. */
  settled(withinMs?: number): Promise<void>;
  /** Makes every scheduled retry due now. */
  hurry(): Promise<void>;
  stop(): Promise<void>;
};

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };

/** Opens a database for deliveries; no worker runs yet. */
export async function openDeliveries(more: Record<string, string> = {}): Promise<Deliveries> {
  const unmocked = realSockets();
  const database = await freshDatabase();
  const settings = testSettings(database.url, NOWHERE, { WORKER_RUNNERS: 'outbound', ...more });
  const pool = new pg.Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => {}); // the test that cut it off expects this
  const log = logLines();
  const workers: RunningWorker[] = [];
  const rows: Deliveries['rows'] = async (text, values) => (await pool.query(text, values)).rows;
  return {
    settings,
    log,
    rows,
    ...writingTo(rows, settings),
    async emit(app, type, data = {}) {
      const [row] = await rows<{ queued: number }>('select emit_event($1, $2, $3) queued', [
        app,
        type,
        JSON.stringify(data),
      ]);
      return row?.queued ?? 0;
    },
    async startWorker() {
      const started = await startWorker(readConfig(settings), log.logger);
      workers.push(started);
      return started;
    },
    async settled(withinMs = 20_000) {
      const open = `select from webhook_deliveries where state in ('pending', 'sending') limit 1`;
      await until('every delivery ended', async () => (await rows(open)).length === 0, withinMs);
    },
    async hurry() {
      await rows(`with due as (
        update webhook_deliveries set due_at = now() where state = 'pending' and due_at > now() returning endpoint_id
      ) select dispatch_due_deliveries(endpoint_id) from (select distinct endpoint_id from due order by 1) d`);
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await pool.end();
      await database.drop();
      unmocked();
    },
  };
}

/** Writes apps and endpoints of a database, their secrets sealed as its settings say. */
export const writingTo = (rows: Deliveries['rows'], settings: Record<string, string>): Writing => ({
  async app() {
    const id = newId('app');
    await rows(
      `insert into apps (id, slug, name, allowed_scopes, contact_email) values ($1, $2, 'An app', '{api}', 'contact@app.invalid')`,
      [id, id.toLowerCase()],
    );
    return id;
  },
  async partner() {
    const id = newId('ptn');
    await rows(`insert into partners (id, name, contact_email) values ($1, 'A partner', 'contact@partner.invalid')`, [
      id,
    ]);
    return id;
  },
  async endpoint(app, url, events = ['*']) {
    const id = newId('whe');
    const secret = newSecret(sealer(String(settings.SEALING_KEYS)));
    await rows('insert into webhook_endpoints (id, owner, url, events) values ($1, $2, $3, $4)', [
      id,
      app,
      url,
      events,
    ]);
    await rows('insert into webhook_secrets (id, endpoint_id, sealed) values ($1, $2, $3)', [
      secret.id,
      id,
      secret.sealed,
    ]);
    return { id, secret: secret.secret };
  },
});

type Delivery = {
  id: string;
  state: string;
  attempts: number;
  retry_step: number;
  response_status: number | null;
  error: string | null;
  in_s: number;
};
type Attempt = {
  n: number;
  duration_ms: number;
  response_status: number | null;
  error: string | null;
  response: string | null;
};

/**
 * For a suite: deliveries with a worker, and for each test a new app and a receiver; the recorded deliveries of the
 * app.
 */
export function deliveriesSuite() {
  const fixture = {} as { d: Deliveries; receiver: Receiver; app: string }; // as: created before they are used
  before(async () => {
    fixture.d = await openDeliveries();
    await fixture.d.startWorker();
  });
  after(() => fixture.d.stop());
  beforeEach(async () => {
    fixture.receiver = await startReceiver();
    fixture.app = await fixture.d.app();
  });
  afterEach(() => fixture.receiver.close());

  const attempts = () =>
    fixture.d.rows<Attempt>(
      `select a.n, a.duration_ms, a.response_status, a.error, a.response
       from webhook_attempts a join webhook_deliveries w on w.id = a.delivery_id where w.owner = $1 order by w.id, a.n`,
      [fixture.app],
    );
  return {
    fixture,
    attempts,
    deliveries: () =>
      fixture.d.rows<Delivery>(
        `select id, state, attempts, retry_step, response_status, error, extract(epoch from due_at - now())::float in_s
         from webhook_deliveries where owner = $1 order by id`,
        [fixture.app],
      ),
    async endpointRow(id: string) {
      const text = 'select active, deactivated_because, failing_since, lanes from webhook_endpoints where id = $1';
      return (await fixture.d.rows(text, [id]))[0];
    },
    tried: (times: number) => until(`${times} attempts`, async () => (await attempts()).length >= times),
  };
}
