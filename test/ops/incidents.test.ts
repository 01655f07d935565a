import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { listTaskNames } from '../../src/intents/task.ts';
import { collectDatabase } from '../../src/metrics/database.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { type OperatorConsole, openOperatorConsole, workerSeen } from '../support/operator.ts';
import { until } from '../support/processes.ts';
import { firing, promtool, RULES } from '../support/rules.ts';
import { readScrape, type Scraped } from '../support/scrape.ts';
import type { Hands, Incident } from './incident.ts';

const FOLDER = new URL('incidents/', import.meta.url);
const MOST_STEPS = 5;

const names = (await readdir(FOLDER)).sort();
const incidents = await Promise.all(
  names.map(async (name) => [name, (await import(new URL(name, FOLDER).href)).default as Incident] as const), // as: each file is one
);

describe('incidents of a night shift', function () {
  this.timeout(60_000);
  let desk: OperatorConsole;
  let operator: Client;
  before(async () => {
    desk = await openOperatorConsole();
    operator = new Client({ connectionString: String(desk.service.settings.DATABASE_URL) });
    await operator.connect();
    await operator.query('set role trading_operator');
    await workerSeen(desk.session, -86_400);
  });
  after(async () => {
    await operator.end();
    await desk.stop();
  });

  const hands: Hands = {
    psql: async (text, values) => (await operator.query(text, values)).rows,
    asOwner: (text, values) => desk.session.query(text, values),
    async read(path) {
      const { status, body } = await desk.get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    async post(path, body = {}) {
      const { status, body: data } = await desk.post(path, { json: { reason: 'the night shift', ...body } });
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(data)}`);
      return data;
    },
  };

  /** What the processes show of the database now. */
  const scrape = (): Promise<Scraped> =>
    until('figures of the database', async () => {
      const metrics = openMetrics();
      metrics.build.set({ version: '1', process: 'worker' }, 1);
      const budget = { name: 'exchange', burst: 1, perSecond: 1 };
      collectDatabase(desk.service.db, { tasks: listTaskNames(), budget }, metrics, { warn: () => {} });
      const shown = readScrape(await metrics.scrape());
      return shown.value('tps_database_up') === 1 ? shown : null; // a busy machine may be too slow for one scrape
    });

  it('are at least fifteen, each begun by an existing alert or by a customer, with at most five steps', async () => {
    const rules = await readFile(RULES, 'utf8');

    expect(incidents).to.have.length.of.at.least(15);
    for (const [name, { starts, steps }] of incidents) {
      if ('alert' in starts) expect(rules, name).to.include(`alert: ${starts.alert}\n`);
      expect(steps.length, name).to.be.within(1, MOST_STEPS);
    }
  });

  for (const [name, { starts, happens, steps, lasts, isOver }] of incidents)
    it(`${name.replace('.ts', '').replaceAll('-', ' ')}: ${'alert' in starts ? starts.alert : `“${starts.customer}”`}`, async () => {
      const quiet = await scrape();
      const known = await happens(desk);
      const troubled = await scrape();
      expect(await isOver(desk, known), 'over before it began').to.equal(false);

      for (const [says, act] of steps)
        await act(hands, known).catch((cause: Error) => {
          throw new Error(`${says}: ${cause.message}`, { cause });
        });

      expect(await isOver(desk, known), 'over').to.equal(true);
      if ('alert' in starts && promtool)
        expect(await firing(starts.alert, { quiet, troubled, calm: await scrape() })).to.deep.equal({
          inTrouble: true,
          afterwards: lasts !== undefined,
        });
    });
});
