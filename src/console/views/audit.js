import { askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { code, idLink, isId, moment } from '../format.js';
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
  ['Who', (action) => actor(action)],
  ['Action', ({ action }) => action],
  ['On', ({ subject, subject_name }) => named(subject_name, subject)],
  ['Why', ({ detail }) => String(detail.why ?? '–')],
  ['Detail', ({ detail: { why: _, given_name: __, ...rest } }) => notes(rest)],
];

/** The operator, or in psql the role that connected and the name it gave. @param {OperatorAction} action */
function actor({ actor: who, actor_name, detail }) {
  if (who.startsWith('admin:')) return named(actor_name, who.slice('admin:'.length));
  return [code(who), h('small', {}, detail.given_name ? `in psql, as “${detail.given_name}”` : 'in psql')];
}

/** A name over the id that it stands for. @param {string | null} name @param {string | null} id */
const named = (name, id) => (name === null ? idLink(id) : [name, h('small', {}, idLink(id))]);

/** @param {Record<string, unknown>} detail */
const notes = (detail) => {
  const entries = Object.entries(detail);
  return entries.length === 0
    ? '–'
    : entries.map(([name, value]) => h('div', {}, `${name.replaceAll('_', ' ')}: `, shown(value)));
};

/** @param {unknown} value */
const shown = (value) => {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isId(value) ? idLink(value) : value;
};
