import { expect } from 'chai';
import pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { collectDatabase } from '../../src/metrics/database.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { readScrape } from '../support/scrape.ts';

const budget = { name: 'https://exchange.example', burst: 400, perSecond: 20 };
const NOTIFICATIONS = 4_000; // of 7,000 bytes: more than the buffers of a connection hold

describe('the queue of notifications', () => {
  it('is shown as it fills while a process that listens is suspended, and is empty once its session is ended', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const suspended = new pg.Client({ connectionString: database.url });
    suspended.on('error', () => {}); // its session is ended
    await suspended.connect();
    await suspended.query('listen settled');
    suspended.connection.stream.pause();
    const scraped = async () => {
      const db = await openPool(database.url, 1, () => {});
      const metrics = openMetrics();
      collectDatabase(db, { tasks: [], budget }, metrics, { warn: () => {} });
      const { value } = readScrape(await metrics.scrape().finally(() => db.end()));
      return Number(value('tps_database_notification_queue_ratio'));
    };
    const notify = (n: number) =>
      pool.query(`select pg_notify('settled', n || repeat('x', 7000)) from generate_series(1, $1::integer) n`, [n]);

    const before = await scraped();
    await notify(NOTIFICATIONS);
    const blocked = await until('the session to wait for its client', async () => {
      const { rows } = await pool.query(
        `select pid from pg_stat_activity where wait_event = 'ClientWrite' and datname = current_database()`,
      );
      return rows[0]?.pid ?? null;
    });
    const filled = await scraped();
    await pool.query('select pg_terminate_backend($1)', [blocked]);
    await until('the queue to be empty', async () => {
      await notify(1);
      return (await scraped()) < filled / 2 || null; // other databases of the server share it
    });
    suspended.connection.stream.destroy();
    await pool.end();
    await database.drop();

    expect(filled - before).to.be.within(0.002, 0.1);
  });
});
