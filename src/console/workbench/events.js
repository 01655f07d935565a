import { h } from '../dom.js';
import { filter } from '../filter.js';
import { code, moment } from '../format.js';
import { pager, table } from '../table.js';
import { askPage } from './calls.js';

const DAY_MS = 86_400_000;

/** The event log of the caller. @type {import('../views.js').View} */
export const events = {
  name: 'events',
  group: 'What happened',
  title: 'Events',
  async render(route) {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const { items, next } = await askPage('/events', { query: { limit: 50, since, ...route.query } });
    const shown = table(
      route.query.since ? 'Events, oldest first' : 'Events of the last day, oldest first',
      columns,
      items,
      'No such event.',
    );
    return { content: [filter(route, fields), shown, pager(route, next)] };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  { name: 'type', label: 'Type', more: { maxlength: 200, placeholder: 'order.updated' } },
  { name: 'since', label: 'Since', more: { maxlength: 40, placeholder: '2026-01-31T00:00:00Z' } },
];

/** @typedef {{ id: string, type: string, data: Record<string, unknown>, timestamp: string }} Event */

/** @type {import('../table.js').Column<Event>[]} */
const columns = [
  ['Event', ({ id }) => code(id)],
  ['Type', ({ type }) => type],
  ['At', ({ timestamp }) => moment(timestamp)],
  ['Data', (event) => opened(`Data of ${event.id}`, event.data)],
];

/** A value that a person opens. @param {string} label @param {unknown} value */
export const opened = (label, value) =>
  h(
    'details',
    {},
    h('summary', { 'aria-label': `Show: ${label}` }, 'Show'),
    h('pre', { tabindex: 0 }, JSON.stringify(value, null, 2)),
  );
