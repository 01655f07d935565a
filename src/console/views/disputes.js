import { askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, idLink, moment, money } from '../format.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Dispute']} Dispute */

/** Disputes of payments, those that need a response first. @type {import('../views.js').View} */
export const disputes = {
  name: 'disputes',
  group: 'Money',
  title: 'Disputes',
  reads: 'listDisputes',
  async render(route) {
    const { items, next } = await askPage('/v2/admin/disputes', {
      query: { ...route.query, ...(route.query.open !== 'true' && { open: 'false' }) },
    });
    const shown = table('Disputes, those that need a response first', columns, items, 'No payment is disputed.');
    return { content: [h('p', {}, HOW), filter(route, fields), shown, pager(route, next)] };
  },
};

const HOW =
  'Answer a dispute at the processor, with the evidence from the user’s page: agreements, log-ins, trades. What it decides arrives by itself.';

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'open',
    label: 'Which',
    kind: 'select',
    options: [
      ['', 'all'],
      ['true', 'that need a response'],
    ],
  },
];

/** @type {import('../table.js').Column<Dispute>[]} */
const columns = [
  ['Dispute', ({ dispute_id }) => idLink(dispute_id)],
  ['State', ({ status }) => badge(status ?? 'unknown')],
  [
    'Amount',
    ({ amount_cents, currency, is_money_gone }) => [money(amount_cents, currency), is_money_gone ? ' taken' : ''],
  ],
  ['User', ({ email, user_id }) => [email, h('small', {}, idLink(user_id))]],
  [
    'Payment, account',
    ({ payment_id, prop_account_id, account_status }) => [
      idLink(payment_id),
      prop_account_id && h('small', {}, idLink(prop_account_id), ' ', badge(account_status ?? '')),
    ],
  ],
  ['Made', ({ made_at, said_at }) => moment(made_at ?? said_at)],
];
