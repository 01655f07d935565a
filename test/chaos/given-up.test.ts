import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import { type CrashableDatabase, openCrashable } from './server.ts';
import { openStage, placeOne, type Stage, type WorkerProcess } from './stage.ts';

const SUBMIT = '/miner/api/submit-order';
const BACK_MS = 20_000; // the bound for a runner's end, a restart, and what a busy machine adds

describe('a worker whose queue gives a runner up while one of its calls hangs', function () {
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

  it('does not wait for that call: it works on, and what hung is looked up', async () => {
    const [hung, slow, other] = (await stage.traders(3)) as [Caller, Caller, Caller];
    const [worker] = [...stage.workers] as [WorkerProcess];
    stage.party.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    const hanging = await placeOne(hung);
    await until('the silent call', () => isSent(stage, hanging));
    stage.party.faults.add({ kind: 'late', route: SUBMIT, times: 1, delayMs: 300 });
    const answered = await placeOne(slow);
    await until('the slow call', () => isSent(stage, answered));

    await database.crash(); // the answer to the slow one comes meanwhile: nobody can write down that its job has ended
    await worker.says(/Failed to (fail|complete) jobs/);
    await database.restart();
    await worker.says(/runner ended/, BACK_MS);
    const placed = await placeOne(other);
    await until('all settled', () => areSettled(stage, [hanging, answered, placed]), BACK_MS);

    const states = await stage.rows<{ state: string }>('select state from intents order by created_at');
    expect(states.map(({ state }) => state)).to.deep.equal(['failed', 'succeeded', 'succeeded']);
    expect(effects(stage)).to.deep.equal([answered, placed]);
  });
});

async function isSent({ rows }: Stage, id: string): Promise<true | null> {
  return (await rows('select from intents where id = $1 and sending_at is not null', [id])).length === 1 || null;
}

async function areSettled({ rows }: Stage, ids: string[]): Promise<true | null> {
  return (
    (await rows('select from intents where id = any($1) and settled_at is not null', [ids])).length === ids.length ||
    null
  );
}

const effects = ({ party }: Stage) =>
  party.ledger.entries().flatMap(({ kind, key }) => (kind === 'market' ? [key] : []));
