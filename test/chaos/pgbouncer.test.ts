import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { findPgbouncer, type Pooler, startPgbouncer } from '../support/pgbouncer.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { auditOrders } from './audit.ts';
import { poolerVerdicts, tradeThroughPooler } from './scenes/pooled.ts';
import { allSettled, openStage, placeOne, type Stage } from './stage.ts';
import { broken, shown } from './verdicts.ts';

const program = findPgbouncer();
const ORDERS = 60;
const HARMS = 3;
const CONNECTIONS = 3; // two web processes have six each
/** By then every request of the batch has been received and waits behind the first: nothing outside the process shows it. */
const ARRIVE_MS = 500;
const BATCH = 6;

describe(`web behind PgBouncer in transaction mode${program ? '' : ' (skipped: no pgbouncer on this machine)'}`, function () {
  this.timeout(120_000);
  before(function () {
    if (!program) this.skip();
  });

  it('executes orders at both venues from two web processes, while connections are cut and a worker is killed', async () => {
    const traded = await tradeThroughPooler(program ?? '', {
      connections: CONNECTIONS,
      webs: 2,
      workers: 2,
      settings: { ORDER_DEADLINE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '4000', EXVENUE_BUDGET_PER_MINUTE: '24000' },
      seed: 1,
      network: { orders: ORDERS, perSecond: 30, traders: 20 },
      exchange: { orders: ORDERS / 2, perSecond: 15, wallets: 10 },
      harms: { sequence: ['cut', 'kill', 'cut'], everyMs: 500, atLeast: HARMS },
      settleWithinMs: 60_000,
    });

    const verdicts = poolerVerdicts(traded);
    for (const verdict of verdicts) console.log(`      ${shown(verdict)}`);
    expect(broken(verdicts)).to.deep.equal([]);
    expect(traded.orders?.orders).to.be.at.least(ORDERS);
  });

  it('gives each request of a batch its own response when their shared statement is cancelled', async () => {
    const { stage, pooler } = await openPooled();
    const [first, second] = await Promise.all([locker(stage), locker(stage)]);
    try {
      const traders = await stage.traders(BATCH + 1);
      await first.lock();
      const placed = [placeOneOf(traders, 0)];
      await until('the first acceptance behind the lock', () => waiting(stage, ACCEPTANCE));
      placed.push(...Array.from({ length: BATCH }, (_, n) => placeOneOf(traders, n + 1)));
      await sleep(ARRIVE_MS);
      const lockedAgain = second.lock();
      await until('the second lock behind it', () => waiting(stage, 'lock table%'));
      await first.unlock();
      await lockedAgain;
      await until('the batch behind the second lock', () => waiting(stage, ACCEPTANCE));
      const cancelled = await cancelAcceptances(stage);
      await second.unlock();
      await Promise.all(placed);
      await allSettled(stage, 20_000);

      expect(cancelled).to.equal(1);
      expect(await auditOrders(stage, await Promise.all(placed))).to.deep.include({
        states: { succeeded: BATCH + 1 },
        forgotten: 0,
        lost: 0,
        doubled: 0,
      });
    } finally {
      await Promise.all([first.end(), second.end()]);
      await stage.close();
      await pooler.stop();
    }
  });
});

async function openPooled(): Promise<{ stage: Stage; pooler: Pooler }> {
  const database = await freshDatabase();
  const pooler = await startPgbouncer(program ?? '', database, CONNECTIONS);
  return { pooler, stage: await openStage({ database, settings: pooler.settings }) };
}

const placeOneOf = (traders: Parameters<typeof placeOne>[0][], n: number) => {
  const trader = traders[n];
  if (!trader) throw new Error(`There is no trader ${n}`);
  return placeOne(trader);
};

/** Blocks writes to lanes, and so the acceptance of orders, until it unlocks. */
async function locker({ settings }: Stage) {
  const client = new pg.Client({ connectionString: settings.DATABASE_DIRECT_URL, application_name: 'stage' });
  await client.connect();
  return {
    lock: async () => {
      await client.query('begin');
      await client.query('lock table lanes in exclusive mode');
    },
    unlock: () => client.query('commit'),
    end: () => client.end(),
  };
}

const ACCEPTANCE = '%accept_network_orders%';

/** True once a statement like this waits for a lock. */
async function waiting({ rows }: Stage, like: string): Promise<true | null> {
  const found = await rows(`select from pg_stat_activity where wait_event_type = 'Lock' and query like $1`, [like]);
  return found.length > 0 || null;
}

async function cancelAcceptances({ rows }: Stage): Promise<number> {
  const cancelled = await rows(
    `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query like $1`,
    [ACCEPTANCE],
  );
  return cancelled.length;
}
