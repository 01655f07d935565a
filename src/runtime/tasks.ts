import type { Job, JobHelpers, TaskList } from 'graphile-worker';
import { listTaskNames, TASKS, type Task } from '../intents/task.ts';
import { sanitizeError } from '../kernel/serialize-error.ts';
import { below, newPlace, openSpans, placeOfIntent, spanSince } from '../kernel/spans.ts';
import { type Work, workingOn } from '../kernel/work.ts';
import { secondsSince } from '../metrics/upstreams.ts';
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
    const on: Work = { task: name, spans: openSpans(), ...(intent_id !== undefined && { intent_id }) };
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
      if (on.spans) endSpans(on, startedAt, { outcome, ...line });
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

/** A job of an intent belongs to the trace of its request, any other has a trace of its own. */
function endSpans(
  { task: name = '', spans, intent_id, request_id, tenant, outcome: came }: Work,
  startedAt: number,
  { outcome, job, attempt }: { outcome: 'done' | 'threw'; job?: string; attempt?: number },
): void {
  const attributes = {
    outcome: came ?? outcome,
    ...(job !== undefined && { job }),
    ...(attempt !== undefined && { attempt }),
    ...(intent_id !== undefined && { intent_id }),
    ...(request_id !== undefined && { request_id }),
    ...(tenant !== undefined && { tenant }),
  };
  const place = intent_id === undefined ? newPlace() : below(placeOfIntent(intent_id));
  spans?.end(spanSince(startedAt, { name, kind: 'consumer', hasFailed: outcome === 'threw', attributes }), place);
}
