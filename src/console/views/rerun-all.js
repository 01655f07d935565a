import { ask } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { idLink, moment } from '../format.js';
import { actionButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['RerunAssessments']['assessments'][number]} Assessment */

const OPEN = ['queued', 'running', 'in_doubt'];

/**
 * The button that runs the open intents of a filter again, after it has shown what that would do. Hidden where no state
 * of the filter is open; without a state it acts on those in doubt, which are the open ones that the list shows then.
 * @param {import('../route.js').Route} route
 * @param {import('../views.js').Again} again
 */
export function rerunAllButton(route, again) {
  const { state = '', kind, owner } = route.query;
  const isOpen = state === '' || OPEN.includes(state);
  const filter = { ...(kind && { kind }), ...(owner && { owner }), state: state || 'in_doubt' };
  const button = actionButton('Re-run the open ones of this filter', 'rerunIntents', () => rerunAll(filter, again), {
    id: 'rerun-all',
  });
  return h('p', { hidden: !isOpen }, button);
}

/** @param {Record<string, string>} filter @param {import('../views.js').Again} again */
async function rerunAll(filter, again) {
  const { assessments } = await ask('get', '/v2/admin/reruns', { query: /** @type {any} */ (filter) });
  const done = await act({
    title: 'Re-run the open intents of this filter',
    says: [table('What it would do', columns, assessments, 'No intent of this filter is open.'), SAYS],
    fields: [reason],
    button: 'Re-run those that are safe',
    run: (values, key) => ask('post', '/v2/admin/reruns', { body: { ...filter, ...values }, key }),
  });
  if (done) await again(`Queued: ${done.results.reduce((sum, each) => sum + (each.done ? each.intents : 0), 0)}.`);
}

const SAYS = 'At most the oldest 1,000. What could act twice, or needs no re-run, stays as it is.';

/** @type {import('../table.js').Column<Assessment>[]} */
const columns = [
  ['Assessment', ({ verdict }) => verdict.replaceAll('_', ' ')],
  ['Intents', ({ intents }) => intents],
  ['Would do', ({ would_do }) => would_do],
  ['Oldest', ({ oldest_at, example }) => [moment(oldest_at), ' ', idLink(example)]],
];
