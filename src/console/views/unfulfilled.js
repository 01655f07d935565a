import { askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, idLink, moment, money } from '../format.js';
import { pager, table } from '../table.js';
import { attach, buttonsOf, provision, refund } from './money-actions.js';

/** @typedef {import('../api.js').Schemas['UnfulfilledPayment']} UnfulfilledPayment */
/** @typedef {import('../views.js').Again} Again */

/** Payments without an account or a refund. @type {import('../views.js').View} */
export const unfulfilled = {
  name: 'unfulfilled',
  group: 'Money',
  title: 'Unfulfilled payments',
  async render(route, again) {
    const minutes = {
      name: 'minutes',
      label: 'Minimum age of the payment in minutes',
      kind: /** @type {const} */ ('number'),
      value: 10,
      more: { min: 0, max: 100_000 },
    };
    const query = { minutes: route.query.minutes ?? 10, cursor: route.query.cursor };
    const { items, next } = await askPage('/v2/admin/payments/unfulfilled', { query });
    const shown = table(
      'Paid without an account or a refund, oldest first',
      columns(again),
      items,
      'No unfulfilled payments.',
    );
    return { content: [filter(route, [minutes]), shown, pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<UnfulfilledPayment>[]} */
const columns = (again) => [
  [
    'Payment',
    ({ payment_id, amount_cents, currency, held_cents, held_currency }) => [
      money(amount_cents, currency),
      h('small', {}, `Kept: ${money(held_cents, held_currency)}`),
      h('small', {}, idLink(payment_id)),
    ],
  ],
  ['Paid', ({ paid_at }) => moment(paid_at)],
  ['By', ({ owner, user_id }) => [idLink(user_id), h('small', {}, 'of ', idLink(owner))]],
  [
    'Account',
    ({ prop_account_id, account_status }) => [idLink(prop_account_id), ' ', account_status && badge(account_status)],
  ],
  ['Why', ({ failure_reason, safe_action }) => [failure_reason ?? '–', h('small', {}, `Safe: ${safe_action}`)]],
  ['Actions', (payment) => buttons(payment, again)],
];

/** @param {UnfulfilledPayment} payment @param {Again} again */
function buttons({ payment_id, held_cents, held_currency, prop_account_id: id }, again) {
  const button = buttonsOf(payment_id, again);
  const refundButton = button('Refund', 'refundPayment', () =>
    refund(payment_id, { cents: held_cents, currency: held_currency }),
  );
  return id === null
    ? refundButton
    : [
        button('Provision again', 'provisionAgain', () => provision(id)),
        button('Attach', 'attachSubaccount', () => attach(id)),
        refundButton,
      ];
}
