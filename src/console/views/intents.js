import { askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, code, idLink, moment } from '../format.js';
import { routeTo } from '../route.js';
import { pager, table } from '../table.js';
import { rerunAllButton } from './rerun-all.js';
import { renderStory } from './story.js';

/** @typedef {import('../api.js').Schemas['TroubledIntent']} TroubledIntent */

/** Intents that need attention, and the story of each. @type {import('../views.js').View} */
export const intents = {
  name: 'intents',
  group: 'Running',
  title: 'Troubled intents',
  titleOfOne: 'Story of an intent',
  render: (route, again) => (route.id === '' ? renderList(route, again) : renderStory(route.id, again)),
};

/** @param {import('../route.js').Route} route @param {import('../views.js').Again} again */
async function renderList(route, again) {
  const { items, next } = await askPage('/v2/admin/intents', { query: route.query });
  const shown = table('Intents, newest first', columns, items, 'No intent in these states.');
  return { content: [filter(route, fields), rerunAllButton(route, again), shown, pager(route, next)] };
}

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'state',
    label: 'State',
    kind: 'select',
    options: [
      ['', 'in doubt and failed'],
      ['in_doubt', 'in doubt'],
      ['undecided', 'ended without proof'],
      'failed',
      'queued',
      'running',
      'expired',
    ],
  },
  { name: 'kind', label: 'Kind', more: { maxlength: 64, placeholder: 'network/place' } },
  { name: 'owner', label: 'Partner or app', more: { maxlength: 64 } },
];

/** @type {import('../table.js').Column<TroubledIntent>[]} */
const columns = [
  [
    'Intent',
    ({ intent_id }) =>
      h(
        'a',
        { class: 'id long', href: routeTo(`intents/${intent_id}`), id: intent_id, title: intent_id },
        code(intent_id),
      ),
  ],
  ['Kind', ({ kind }) => kind],
  ['State', ({ state, problem_code }) => [badge(state), ' ', problem_code && code(problem_code)]],
  ['Effect', ({ effect }) => effect],
  ['Owner', ({ owner }) => idLink(owner)],
  ['Attempts, reconciliations', ({ attempts, reconcile_attempts }) => `${attempts}, ${reconcile_attempts}`],
  ['Accepted', ({ created_at }) => moment(created_at)],
];
