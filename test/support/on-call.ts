import { Client } from 'pg';
import { listTaskNames } from '../../src/intents/task.ts';
import { collectDatabase } from '../../src/metrics/database.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { until } from './processes.ts';
import { readScrape, type Scraped } from './scrape.ts';
import type { TestService } from './service.ts';

const BUDGET = { name: 'exchange', burst: 1, perSecond: 1 };

/** What an operator on call has: what Prometheus scrapes of a service, and psql as `trading_operator` or as the owner of the database. */
export type OnCall = {
  /** What the processes of the service and its database show now. */
  scrape(): Promise<Scraped>;
  psql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  asOwner<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
};

/** Watches a service. */
export async function openOnCall({
  db,
  runtime,
  settings,
}: Pick<TestService, 'db' | 'runtime' | 'settings'>): Promise<OnCall> {
  const [operator, owner] = [newClient(settings), newClient(settings)];
  await Promise.all([operator.connect(), owner.connect()]);
  await operator.query('set role trading_operator');
  runtime.metrics.build.set({ version: '1', process: 'web' }, 1);
  runtime.metrics.build.set({ version: '1', process: 'worker' }, 1);
  const ofDatabase = async () => {
    const metrics = openMetrics(); // a new one, since figures are read once in 5 s only
    collectDatabase(db, { tasks: listTaskNames(), budget: BUDGET }, metrics, { warn: () => {} });
    const text = await metrics.scrape();
    return readScrape(text).value('tps_database_up') === 1 ? text : null; // a busy machine may be too slow for one scrape
  };
  return {
    async scrape() {
      const database = await until('figures of the database', ofDatabase);
      return readScrape(joined(await runtime.metrics.scrape(), database));
    },
    psql: async (text, values) => (await operator.query(text, values)).rows,
    asOwner: async (text, values) => (await owner.query(text, values)).rows,
    async stop() {
      await Promise.all([operator.end(), owner.end()]);
    },
  };
}

const newClient = ({ DATABASE_URL }: Record<string, string>) => new Client({ connectionString: String(DATABASE_URL) });

/** Two scrapes as one: of a series that both have, the value of the first. */
function joined(first: string, second: string): string {
  const nameOf = (line: string) => line.slice(0, line.lastIndexOf(' '));
  const names = new Set(first.split('\n').map(nameOf));
  return [first, ...second.split('\n').filter((line) => !names.has(nameOf(line)))].join('\n');
}
