import type { Job, JobHelpers, TaskList } from 'graphile-worker';
import { listTaskNames, TASKS, type Task } from '../intents/task.ts';
import { sanitizeError } from '../kernel/serialize-error.ts';
import { newWork, workingOn } from '../kernel/work.ts';
import { secondsSince } from '../metrics/upstreams.ts';
import { traceTask } from './trace-task.ts';
import type { WorkerRuntime } from './worker.ts';

/** Loads every task of `workers/`, bound to a runtime. The name of a task is the path of its file. */
export async function loadTasks(runtime: WorkerRuntime): Promise<TaskList> {
  const named = await Promise.all(listTaskNames().map((name) => loadTask(name, runtime)));
  return Object.fromEntries(named);
}

async function loadTask(name: string, runtime: WorkerRuntime) {
  const { default: task } = (await import(new URL(`${name}.ts`, TASKS).href)) as {
    default: Task<unknown, WorkerRuntime>;
  };
  const queueTask = async (payload: unknown, helpers?: Partial<JobHelpers>) => {
    const startedAt = performance.now();
    const line = sanitizedTask(name, payload, helpers?.job);
    const { intent_id } = Object(payload) as { intent_id?: string }; // as: a payload holds ids only
    const on = newWork({ task: name, ...(intent_id !== undefined && { intent_id }) });
    if (intent_id !== undefined) runtime.activity.lastIntentMs = startedAt;
    await workingOn(on, async () => {
      try {
        await task(payload, runtime);
        runtime.log.info({ ...ended('done'), outcome: on.outcome ?? 'done' });
      } catch (err) {
        runtime.log.error({ ...ended('threw'), err }, 'task threw');
        throw sanitizeError(err); // the queue stores the error text with the job
      }
    });

    function ended(outcome: 'done' | 'threw') {
      runtime.metrics.tasks.observe({ task: name, outcome }, secondsSince(startedAt));
      if (on.spans) traceTask(on, startedAt, { outcome, ...line });
      return { ...line, ms: Math.round(performance.now() - startedAt), outcome };
    }
  };
  return [name, queueTask] as const;
}

/** What the log contains about a job: only ids. */
const sanitizedTask = (task: string, payload: unknown, job: Partial<Job> | undefined) => ({
  task,
  ...(payload as object),
  ...(job && { job: job.id, attempt: job.attempts }),
});
