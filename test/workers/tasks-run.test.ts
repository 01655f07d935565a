import { expect } from 'chai';
import type { TaskList } from 'graphile-worker';
import { openMetrics } from '../../src/metrics/registry.ts';
import { loadTasks } from '../../src/runtime/runners.ts';
import type { WorkerRuntime } from '../../src/runtime/worker.ts';
import { logLines } from '../support/service.ts';

const TASK = 'network/place';
const PAYLOAD = { intent_id: '01890a5d-ac96-774b-bcce-b302099a9001' };

describe('a job that a runner executes', () => {
  const log = logLines();
  let isLeft = false;
  let fault: Error;
  let asked = 0;
  const activity = { lastIntentMs: 0 };
  let tasks: TaskList;
  before(async () => {
    const db = new Proxy(
      {},
      {
        get: () => () => {
          asked += 1;
          throw fault;
        },
      },
    );
    const runtime = { db, log: log.logger, metrics: openMetrics(), activity, pauses: { leaves: () => isLeft } };
    tasks = await loadTasks(runtime as unknown as WorkerRuntime); // as: the task asks nothing but the database
  });
  beforeEach(() => {
    isLeft = false;
    asked = 0;
    fault = new Error('a bug');
  });

  /** What becomes of a job: what the queue was given instead of it, and what its task threw. */
  async function run(addJob: (...args: unknown[]) => Promise<unknown> = async () => undefined) {
    const added: unknown[] = [];
    const helpers = {
      job: { id: '1', attempts: 1, key: null, max_attempts: 25, priority: 0 },
      addJob: (...args: unknown[]) => {
        added.push(args[0]);
        return addJob(...args);
      },
    };
    const thrown = await (tasks[TASK] as (payload: unknown, helpers: unknown) => Promise<unknown>)(
      PAYLOAD,
      helpers,
    ).then(
      () => null,
      (error: Error) => error,
    );
    return { added, thrown };
  }
  const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('is left to others, and not begun, where they serve an upstream that rejects this process', async () => {
    isLeft = true;

    expect(await run()).to.deep.equal({ added: [TASK], thrown: null });
    expect(asked).to.equal(0);
  });

  it('fails for the queue without what its error knows of the data', async () => {
    const message = 'Failing row contains (someone@example.com)';
    fault = Object.assign(new Error(message), { severity: 'ERROR', code: '23514' });
    log.lines.length = 0;

    const { added, thrown } = await run();

    expect(added).to.deep.equal([]);
    expect(thrown?.message).to.include('23514');
    expect(`${thrown?.message} ${thrown?.stack}`).to.not.include('someone@example.com');
    expect(JSON.stringify(log.lines)).to.include('task threw').and.not.include('someone@example.com');
  });

  it('is soon run again where the database was away, unless the queue cannot take it: then it fails with its own error', async () => {
    fault = AWAY;

    expect(await run()).to.deep.equal({ added: [TASK], thrown: null });
    const { thrown } = await run(() => Promise.reject(new Error('the queue is away, too')));

    expect(thrown?.message).to.include('ECONNREFUSED');
  });

  it('of an intent is noted: deliveries of webhooks make room for it', async () => {
    const before = performance.now();

    await run();

    expect(activity.lastIntentMs).to.be.at.least(before);
  });
});
