import { askPage } from '../api.js';
import { filter } from '../filter.js';
import { code, idLink, moment } from '../format.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['OperatorAction']} OperatorAction */

/** Actions of operators. @type {import('../views.js').View} */
export const audit = {
  name: 'audit',
  group: 'Access',
  title: 'Audit',
  async render(route) {
    const { items, next } = await askPage('/v2/admin/audit', { query: route.query });
    const shown = table('Actions of operators, newest first', columns, items, 'No actions on this subject.');
    return { content: [filter(route, fields), shown, pager(route, next)] };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [{ name: 'subject', label: 'Subject', more: { maxlength: 200, placeholder: 'an id' } }];

/** @type {import('../table.js').Column<OperatorAction>[]} */
const columns = [
  ['When', ({ at }) => moment(at)],
  ['Who', ({ actor }) => code(actor)],
  ['Action', ({ action }) => action],
  ['Subject', ({ subject }) => idLink(subject)],
  ['Why', ({ detail }) => String(detail.why ?? '–')],
  ['Detail', ({ detail: { why: _, ...rest } }) => notes(rest)],
];

/** @param {Record<string, unknown>} detail */
const notes = (detail) =>
  Object.entries(detail)
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join('; ') || '–';
