import { ask } from '../api.js';
import { copyButton } from '../copy.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, idLink, moment } from '../format.js';
import { routeTo } from '../route.js';
import { facts } from '../table.js';

/** @typedef {import('../api.js').Schemas['FoundRecord']} FoundRecord */

/** @type {Record<string, [view: string, says: string]>} */
const PAGES = {
  intent: ['intents', 'Its story, and what a re-run would do'],
  user: ['users', 'Its accounts, payments, payouts and sessions'],
  partner: ['partners', 'Its keys and its quota'],
};

/** What an id or an e-mail address names, with links to its relatives. @type {import('../views.js').View} */
export const search = {
  name: 'search',
  group: 'Running',
  title: 'Search',
  reads: 'searchRecords',
  async render(route) {
    const q = route.query.q ?? '';
    const { records, more } =
      q === '' ? { records: [], more: [] } : await ask('get', '/v2/admin/search', { query: { q } });
    return { content: [filter(route, fields), ...moreThanShown(more), ...(q === '' ? [] : found(q, records))] };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'q',
    label: 'Id, address or name',
    more: {
      maxlength: 254,
      placeholder: 'of an intent, order, request, payment, dispute, user, partner, key, trader 12 …',
    },
  },
];

/** @param {FoundRecord['kind'][]} more */
const moreThanShown = (more) =>
  more.length === 0
    ? []
    : [
        h(
          'p',
          { role: 'status' },
          `The newest 20 of a kind are shown. There are more of: ${more.map(words).join(', ')}.`,
        ),
      ];

/** @param {string} q @param {FoundRecord[]} records */
const found = (q, records) =>
  records.length > 0
    ? records.map(recordOf)
    : [h('section', { class: 'empty' }, h('h2', {}, 'Nothing found'), h('p', {}, `Nothing is named ${q}.`))];

/** @param {FoundRecord} record @param {number} n */
function recordOf({ kind, id, title, state, owner, created_at, relatives }, n) {
  return h(
    'section',
    { 'aria-labelledby': `record-${n}` },
    h('h2', { id: `record-${n}` }, words(kind), ' ', h('span', { class: 'id', title: id }, id)),
    facts([
      ['Id', [h('code', {}, id), ' ', copyButton(id)]],
      ['What', title],
      ['State', state === null ? '–' : badge(state)],
      ['Belongs to', owner === null ? '–' : idLink(owner)],
      [kind === 'job' ? 'Due' : 'Created', moment(created_at)],
      ...Object.entries(relatives).map(
        ([name, ids]) =>
          /** @type {[string, any]} */ ([words(name), [ids].flat().flatMap((each) => [idLink(each), ' '])]),
      ),
    ]),
    pageOf(kind, id),
    typeof relatives.trader === 'string' ? ordersOf(relatives.trader) : null,
  );
}

/** @param {string} trader */
const ordersOf = (trader) => h('p', {}, h('a', { href: routeTo('orders', { trader }) }, 'All orders of this trader'));

/** A link to the page of a record that has one. @param {string} kind @param {string} id */
function pageOf(kind, id) {
  const [view, says] = PAGES[kind] ?? [];
  return view ? h('p', {}, h('a', { href: routeTo(`${view}/${encodeURIComponent(id)}`) }, says)) : null;
}

/** @param {string} name */
const words = (name) => {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};
