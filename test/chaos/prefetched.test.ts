import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { openStage, placeOne } from './stage.ts';

const AT_ONCE = 2; // jobs of one worker
const TIMEOUT_MS = 15_000; // the time that a hanging call holds its job
const SOON_MS = 6_000;

describe('jobs that wait in a worker whose calls all hang', function () {
  this.timeout(60_000);

  it('move to a free worker, long before the calls are abandoned', async () => {
    const settings = { TRADING_CONCURRENCY: String(AT_ONCE), NETVENUE_PATIENCE_MS: String(TIMEOUT_MS) };
    const stage = await openStage({ workers: 1, settings });
    const traders = await stage.traders(2 * AT_ONCE);
    stage.upstream.faults.add({ kind: 'hang', route: 'submit-order', times: AT_ONCE });
    for (const trader of traders.slice(0, AT_ONCE)) await placeOne(trader);
    await until('calls that hang', async () => (await states()).running === AT_ONCE);
    const waiting = [];
    for (const trader of traders.slice(AT_ONCE)) waiting.push(await placeOne(trader));

    await stage.startWorker();
    await until('the others executed', async () => (await states()).succeeded === AT_ONCE, SOON_MS);

    const done = await stage.rows<{ id: string }>(`select id from intents where state = 'succeeded'`);
    expect(done.map(({ id }) => id)).to.have.members(waiting);
    await stage.close();

    async function states(): Promise<Record<string, number>> {
      const rows = await stage.rows<{ state: string; count: number }>(
        `select case when state = 'running' and sending_at is null then 'held' else state end state, count(*)::integer
         from intents group by 1`,
      );
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    }
  });
});
