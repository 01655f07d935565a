import { h } from '../dom.js';
import { badge, code, moment } from '../format.js';
import { routeTo } from '../route.js';
import { table } from '../table.js';
import { ask } from './calls.js';
import { opened } from './events.js';

/** @typedef {import('../api.js').Schemas['OwnRecord']} OwnRecord */

/** Finds what an id names, and shows the intent of an order. @type {import('../views.js').View} */
export const search = {
  name: 'search',
  group: 'What happened',
  title: 'Find',
  async render(route) {
    const { q = '' } = route.query;
    if (q === '')
      return {
        content: [h('p', {}, 'Enter the id of an order, a trader, an account, a payment or anything else above.')],
      };
    /** @type {OwnRecord[]} */
    const found = await ask('get', '/search', { query: { q } });
    const intents = found.filter(({ kind }) => kind === 'intent');
    const read = await Promise.all(
      intents.map(({ id }) => ask('get', '/intents/{intent_id}', { path: { intent_id: id } })),
    );
    const shown = table(`What ${q} names`, columns, found, 'Nothing of yours has this id.');
    return {
      content: [
        shown,
        ...read.map((intent) =>
          h('section', {}, h('h2', {}, `Intent ${intent.kind}`), opened('The whole intent', intent)),
        ),
      ],
    };
  },
};

/** @type {import('../table.js').Column<OwnRecord>[]} */
const columns = [
  ['Id', ({ id }) => code(id)],
  ['What', ({ kind, title }) => [kind.replaceAll('_', ' '), title && h('small', {}, title)]],
  ['State', ({ state }) => (state ? badge(state) : '–')],
  ['Created', ({ created_at }) => moment(created_at)],
  [
    'Related',
    ({ relatives }) => Object.entries(relatives).flatMap(([name, ids]) => [ids].flat().map((id) => related(name, id))),
  ],
];

/** @param {string} name @param {unknown} id */
const related = (name, id) =>
  h(
    'span',
    { class: 'related' },
    `${name.replaceAll('_', ' ')} `,
    h('a', { href: routeTo('search', { q: String(id) }) }, h('code', {}, String(id))),
    ' ',
  );
