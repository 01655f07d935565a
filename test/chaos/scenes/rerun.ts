import { until } from '../../support/processes.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import type { Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';

type Options = { intents: number; perSecond: number; settings: Record<string, string> };

/** The result of running finished intents again. */
export type Rerun = {
  /** Finished intents, and the jobs they were given: the task that executes them and the one that reconciles them. */
  intents: number;
  jobs: number;
  /** Re-runs by the operator's own function, and how many of them did anything. */
  requested: number;
  done: number;
  /** New entries of both ledgers, and intents with a changed row. */
  effects: number;
  changed: number;
};

/**
 * Executes orders at both venues, then runs all of them again, by the operator functions and by bare jobs of the queue.
 */
export async function rerunFinished({ intents, perSecond, settings }: Options): Promise<Rerun> {
  const stage = await openStage({ workers: 2, settings: { ...settings, EXVENUE_BUDGET_PER_MINUTE: '48000' } });
  try {
    const half = { perSecond, goOn: (n: number) => n < intents / 2 };
    await Promise.all([loadNetwork(stage, 30, half), loadExchange(stage, 20, half)]);
    await allSettled(stage, 120_000);
    await queueEmpty(stage);
    const [before, ledgers] = [await everyIntent(stage), effects(stage)];
    const requested = await rerunByKit(stage);
    await queueEmpty(stage);
    const jobs = await stage.rows(
      `select graphile_worker.add_job(i.kind, json_build_object('intent_id', i.id))
       from intents i`,
    );
    await queueEmpty(stage);
    const after = new Map((await everyIntent(stage)).map(({ id, row }) => [id, row]));
    return {
      intents: before.length,
      jobs: jobs.length,
      requested: requested.length,
      done: requested.filter(({ done }) => done).length,
      effects: effects(stage) - ledgers,
      changed: before.filter(({ id, row }) => after.get(id) !== row).length + Math.abs(after.size - before.length),
    };
  } finally {
    await stage.close();
  }
}

const rerunByKit = ({ rows }: Stage) =>
  rows<{ done: boolean }>(
    `select r.done
     from (select id from intents offset 0) i
     cross join lateral ops.rerun(i.id, 'chaos', 'run again although it has ended') r`,
  );

const everyIntent = ({ rows }: Stage) =>
  rows<{ id: string; row: string }>('select i.id, i::text as row from intents i order by i.id');

const effects = ({ upstream, exchange }: Stage) => upstream.ledger.entries().length + exchange.ledger.entries().length;

const queueEmpty = ({ rows }: Stage) =>
  until(
    'an empty queue of orders',
    async () => {
      const jobs = await rows(
        `select from graphile_worker.jobs where task_identifier in (select kind from intent_kinds where venue is not null) and run_at <= now() limit 1`,
      );
      return jobs.length === 0 || null;
    },
    180_000,
  );

/** Whether anything was executed again. */
export function rerunVerdict({ intents, jobs, requested, done, effects, changed }: Rerun, least: number): Verdict {
  return {
    promise: 'R10',
    text: 'finished intents run again from SQL',
    figure: `${intents} intents, ${requested} re-runs by operator functions (${done} with effect) and ${jobs} bare jobs: ${effects} new effects, ${changed} rows changed`,
    bound: `0 new effects over ${least}`,
    kept: intents >= least && requested === intents && done === 0 && effects === 0 && changed === 0,
  };
}
