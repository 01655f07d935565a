import { askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, code, idLink, moment } from '../format.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['OrderOfTrader']} OrderOfTrader */

/** The orders of a trader, whatever became of them. @type {import('../views.js').View} */
export const orders = {
  name: 'orders',
  group: 'Running',
  title: 'Orders of a trader',
  async render(route) {
    const { trader = '' } = route.query;
    if (trader === '') return { content: [filter(route, fields), h('p', {}, WHO)] };
    const { items, next } = await askPage('/v2/admin/orders', { query: { ...route.query, trader } });
    const shown = table('Orders, newest first', columns, items, 'No order of this trader in this state and time.');
    return { content: [filter(route, fields), shown, pager(route, next)] };
  },
};

const WHO = 'Name the trader by its hotkey or wallet. Search finds the hotkey by the number: "trader 12".';

/** @type {import('../fields.js').Field[]} */
const fields = [
  { name: 'trader', label: 'Trader', more: { maxlength: 200, placeholder: 'hotkey or wallet' } },
  {
    name: 'state',
    label: 'State',
    kind: 'select',
    options: [['', 'any'], 'open', 'resting', 'filled', 'cancelled', 'failed', 'expired'],
  },
  { name: 'from', label: 'Since', more: { maxlength: 40, placeholder: '2026-01-31T00:00:00Z' } },
  { name: 'to', label: 'Before', more: { maxlength: 40, placeholder: '2026-02-01T00:00:00Z' } },
];

/** @type {import('../table.js').Column<OrderOfTrader>[]} */
const columns = [
  ['Order', ({ order_id }) => idLink(order_id)],
  ['At', ({ venue, pair }) => `${venue} ${pair}`],
  ['Placement', ({ state, problem_code }) => [badge(state), ' ', problem_code && code(problem_code)]],
  ['At the venue', ({ lifecycle }) => (lifecycle === null ? '–' : badge(lifecycle))],
  ['Owner', ({ owner }) => idLink(owner)],
  ['Named by the caller', ({ given_id }) => code(given_id)],
  ['Accepted', ({ created_at }) => moment(created_at)],
  ['Ended', ({ settled_at }) => moment(settled_at)],
];
