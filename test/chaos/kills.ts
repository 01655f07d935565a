import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage, WorkerProcess } from './stage.ts';

/** How long each job of a killed worker waited for another one, in milliseconds, once all of them have one. */
export type Takeover = { waits: Promise<number[]> };

/** Kills the worker with the most work and starts another in its place. */
export async function killBusiest(stage: Stage): Promise<Takeover> {
  const [victim] = (await busiest(stage)) as [WorkerProcess];
  victim.kill('SIGKILL');
  const killedAt = performance.now();
  await victim.exited;
  const waits = takenOver(stage, victim.pools, killedAt);
  await stage.startWorker();
  return { waits };
}

async function busiest({ rows, workers }: Stage): Promise<WorkerProcess[]> {
  const held = await rows<{ locked_by: string; jobs: number }>(
    'select locked_by, count(*)::integer as jobs from queue_jobs where locked_by is not null group by 1',
  );
  const jobs = new Map(held.map(({ locked_by, jobs }) => [locked_by, jobs]));
  const load = ({ pools }: WorkerProcess) => pools.reduce((sum, pool) => sum + (jobs.get(pool) ?? 0), 0);
  return [...workers].sort((a, b) => load(b) - load(a));
}

async function takenOver({ rows }: Stage, pools: string[], killedAt: number): Promise<number[]> {
  const left = await rows<{ id: string }>('select id from queue_jobs where locked_by = any($1)', [pools]);
  const waiting = new Set(left.map(({ id }) => id));
  const waited: number[] = [];
  for (; waiting.size > 0 && performance.now() - killedAt < 70_000; await sleep(50)) {
    const still = await rows<{ id: string }>(
      'select id from queue_jobs where id = any($1) and (locked_by is null or locked_by = any($2))',
      [[...waiting], pools],
    );
    const open = new Set(still.map(({ id }) => id));
    for (const id of [...waiting]) {
      if (open.has(id) || !waiting.delete(id)) continue;
      waited.push(performance.now() - killedAt);
    }
  }
  return [...waited, ...[...waiting].map(() => Number.POSITIVE_INFINITY)];
}
