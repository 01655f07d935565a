import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { startProgram, until } from '../support/processes.ts';
import { type CrashableDatabase, openCrashable } from './server.ts';
import { openStage, placeOne, type Stage, type WorkerProcess } from './stage.ts';

const SUBMIT = '/miner/api/submit-order';
const BACK_MS = 20_000; // the limit for a runner's end, a restart, and a margin for a busy machine

describe('a worker whose runner is abandoned by the queue while one of its calls hangs', function () {
  this.timeout(90_000);
  let database: CrashableDatabase;
  let stage: Stage;
  before(async () => {
    database = await openCrashable();
    stage = await openStage({
      database,
      workers: 1,
      settings: { NETVENUE_PATIENCE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '2000', ORDER_DEADLINE_MS: '60000' },
    });
  });
  after(() => stage.close());

  it('does not wait for that call: it continues, and what hangs is sent again, once its absence is proven', async () => {
    const [hangingCaller, slow, other] = (await stage.traders(3)) as [Caller, Caller, Caller];
    const [worker] = [...stage.workers] as [WorkerProcess];
    stage.upstream.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    const hanging = await placeOne(hangingCaller);
    await until('the call without a response', () => isSent(stage, hanging));
    stage.upstream.faults.add({ kind: 'late', route: SUBMIT, times: 1, delayMs: 300 });
    const reply = await placeOne(slow);
    await until('the slow call', () => isSent(stage, reply));

    await database.crash(); // the response to the slow one arrives meanwhile: nothing can record that its job has ended
    await worker.waitForLine(/Failed to (fail|complete) jobs/);
    await database.restart();
    await worker.waitForLine(/runner ended/, BACK_MS);
    const placed = await placeOne(other);
    await until('all settled', () => areSettled(stage, [hanging, reply, placed]), BACK_MS);

    const states = await stage.rows<{ state: string }>('select state from intents order by created_at');
    expect(states.map(({ state }) => state)).to.deep.equal(['succeeded', 'succeeded', 'succeeded']);
    expect(effects(stage)).to.have.members([hanging, reply, placed]);
  });
});

describe('a process that cannot return jobs fetched ahead', function () {
  this.timeout(90_000);
  const atOnce = 2;
  let database: CrashableDatabase;
  let stage: Stage;
  beforeEach(async () => {
    database = await openCrashable();
    const settings = { TRADING_CONCURRENCY: String(atOnce), NETVENUE_IN_FLIGHT_MS: '2000', ORDER_DEADLINE_MS: '60000' };
    stage = await openStage({ database, workers: 0, settings });
  });
  afterEach(() => stage.close());

  for (const program of ['worker', 'start'] as const)
    it(`(${program}) says so and goes on; a worker executes them`, async () => {
      const working =
        program === 'worker' ? await stage.startWorker() : startProgram('start', { ...stage.settings, PORT: '0' });
      if (program === 'start') await working.waitForLine(/web is listening/);
      const callers = await stage.traders(2 * atOnce);
      stage.upstream.faults.add({ kind: 'hang', route: SUBMIT, times: atOnce });
      const placed: string[] = [];
      for (const caller of callers.slice(0, atOnce)) placed.push(await placeOne(caller));
      await until('calls that hang', async () =>
        (await Promise.all(placed.map((id) => isSent(stage, id)))).every(Boolean),
      );
      placed.push(...(await Promise.all(callers.slice(atOnce).map((caller) => placeOne(caller)))));
      await until('a job fetched ahead', () => areHeld(stage, atOnce + 1)); // for 500 ms, then it returns by itself

      await database.crash();
      working.kill('SIGTERM'); // its release of the queue returns them
      await working.exited;
      await database.restart();
      await stage.startWorker();
      await until('all settled', () => areSettled(stage, placed), BACK_MS);

      expect(working.lines.join('\n')).to.match(/jobs were not returned/);
      expect(working.lines.join('\n')).not.to.match(/Node\.js v/);
      expect(effects(stage)).to.have.members(placed);
    });
});

const areHeld = async ({ rows }: Stage, count: number): Promise<true | null> =>
  (await rows(`select from queue_jobs where locked_by is not null`)).length >= count || null;

async function isSent({ rows }: Stage, id: string): Promise<true | null> {
  return (await rows('select from intents where id = $1 and sending_at is not null', [id])).length === 1 || null;
}

async function areSettled({ rows }: Stage, ids: string[]): Promise<true | null> {
  return (
    (await rows('select from intents where id = any($1) and settled_at is not null', [ids])).length === ids.length ||
    null
  );
}

const effects = ({ upstream }: Stage) =>
  upstream.ledger.entries().flatMap(({ kind, key }) => (kind === 'market' ? [key] : []));
