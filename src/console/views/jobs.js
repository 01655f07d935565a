import { ask, askPage } from '../api.js';
import { isRunnable, wordOf } from '../assessment.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { badge, code, idLink, moment } from '../format.js';
import { pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['DeadJob']} DeadJob */
/** @typedef {import('../views.js').Again} Again */

/** Jobs without an intent that no worker takes again. @type {import('../views.js').View} */
export const jobs = {
  name: 'jobs',
  group: 'Running',
  title: 'Dead jobs',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/jobs/dead', { query: route.query });
    const shown = table('Jobs whose attempts are used up, newest first', columns(again), items, 'No job is dead.');
    return { content: [shown, pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<DeadJob>[]} */
const columns = (again) => [
  ['Job', ({ job_id, task }) => [code(task), ' ', idLink(job_id)]],
  [
    'About',
    ({ about }) =>
      Object.entries(about).map(([name, id]) => h('div', {}, `${name.replaceAll('_', ' ')} `, idLink(String(id)))),
  ],
  ['Died', ({ died_at, attempts }) => [moment(died_at), ` after ${attempts} attempts`]],
  ['Last error', ({ last_error }) => last_error ?? '–'],
  ['A re-run', ({ rerun }) => [badge(wordOf(rerun)), ` ${rerun.reason}`]],
  [
    'Actions',
    (job) =>
      isRunnable(job.rerun) ? rowButton('Run again', job.job_id, 'rerunDeadJob', () => runAgain(job, again)) : '–',
  ],
];

/** @param {DeadJob} job @param {Again} again */
async function runAgain({ job_id, task, rerun }, again) {
  const result = await act({
    title: 'Run a dead job again',
    says: [`Queues ${task} with all of its attempts: ${rerun.reason}.`],
    fields: [reason],
    button: 'Run it again',
    run: (body, key) => ask('post', '/v2/admin/jobs/{job_id}/rerun', { path: { job_id }, body, key }),
  });
  if (result) await again(result.done ? `Job ${job_id} is queued.` : `Nothing to do: ${result.assessment.reason}.`);
}
