import { h } from '../dom.js';
import { filter } from '../filter.js';
import { code, moment } from '../format.js';
import { routeTo } from '../route.js';
import { pager, table } from '../table.js';
import { askPage } from './calls.js';

/** @typedef {import('../api.js').Schemas['ApiRequest']} ApiRequest */

/** The caller's own requests of the last 7 days. @type {import('../views.js').View} */
export const requests = {
  name: 'requests',
  group: 'What happened',
  title: 'Requests',
  async render(route) {
    const { items, next } = await askPage('/requests', { query: { limit: 50, ...route.query } });
    const shown = table('Requests of the last 7 days, newest first', columns, items, 'No such request.');
    return { content: [filter(route, fields), shown, pager(route, next)], isLive: true };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  { name: 'operation', label: 'Operation', more: { maxlength: 100, placeholder: 'submitNetvenueOrder' } },
  { name: 'code', label: 'Code', more: { maxlength: 100, placeholder: 'V2_ORDER_UNKNOWN' } },
  { name: 'request_id', label: 'Request id', more: { maxlength: 128 } },
  {
    name: 'failed',
    label: 'Result',
    kind: 'select',
    options: [
      ['', 'any'],
      ['true', 'failed'],
      ['false', 'succeeded'],
    ],
  },
];

/** @type {import('../table.js').Column<ApiRequest>[]} */
const columns = [
  ['Request', ({ request_id }) => code(request_id)],
  ['Operation', ({ method, operation }) => [operation, h('small', {}, method)]],
  ['Status', ({ status, code: named }) => [status, named && h('small', {}, named)]],
  ['Took', ({ ms }) => `${Math.round(ms)} ms`],
  ['By', ({ caller }) => caller],
  ['At', ({ at }) => moment(at)],
  [
    'Intent',
    ({ intent_id }) => (intent_id ? h('a', { href: routeTo('search', { q: intent_id }) }, code(intent_id)) : '–'),
  ],
];
