import { ask } from '../api.js';
import { filter } from '../filter.js';
import { code, moment } from '../format.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['OperatorActionPage']['items'][number]} OperatorAction */

/** What operators did. @type {import('../views.js').View} */
export const audit = {
  name: 'audit',
  group: 'Access',
  title: 'Audit',
  async render(route) {
    const { items, next_cursor } = await ask('get', '/v2/admin/audit', { query: route.query });
    const shown = table('What operators did, newest first', columns, items, 'Nothing was done to that.');
    return { content: [filter(route, fields), shown, pager(route, next_cursor)] };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'subject',
    label: 'Done to',
    more: { maxlength: 200, placeholder: 'an id' },
  },
];

/** @type {import('../table.js').Column<OperatorAction>[]} */
const columns = [
  ['When', ({ at }) => moment(at)],
  ['Who', ({ actor }) => code(actor)],
  ['What', ({ action }) => action],
  ['To', ({ subject }) => code(subject)],
  ['Detail', ({ detail }) => told(detail)],
];

/** @param {Record<string, unknown>} detail */
const told = (detail) =>
  Object.entries(detail)
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join('; ') || '–';
