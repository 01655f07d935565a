import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { listTaskNames } from '../../src/intents/task.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DROPS = 'sql/functions/queue/drop_superseded_jobs.sql';
/** What plans jobs: SQL functions, and statements in the sources. The sandbox plans none that production does not. */
const PLANS = ['sql/functions/**/*.sql', 'src/{db,capabilities,intents,venues}/**/*.ts'];
const WITH_A_KEY = /job_key =>|plan_task\(|(?:format|_job_key)\([\s\S]*::graphile_worker\.job_spec/; // by add_job or plan_task, or in the row of a job

describe('tasks whose jobs have a key', () => {
  it('are all known to drop_superseded_jobs: a job that a newer one has replaced would otherwise count as dead', async () => {
    const tasks = listTaskNames();
    const named = (text: string) => tasks.filter((task) => text.includes(`'${task}'`));
    const dropped = named(await readFile(`${root}/${DROPS}`, 'utf8'));
    const keyed = new Set<string>();
    for await (const path of glob(PLANS, { cwd: root })) {
      const text = await readFile(`${root}/${path}`, 'utf8');
      if (WITH_A_KEY.test(text)) for (const task of named(text)) keyed.add(task);
    }

    expect([...keyed].sort()).to.deep.equal(dropped.sort());
  });
});
