import { askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { idLink, moment } from '../format.js';
import { actionButton, pager, table } from '../table.js';
import { abandon, attach, buttonsOf, provision, refund, reinstate } from './money-actions.js';

/** @typedef {import('../api.js').Schemas['FailedAccount']} FailedAccount */
/** @typedef {import('../views.js').Again} Again */

/** Prop accounts of all apps that could not be created. @type {import('../views.js').View} */
export const accounts = {
  name: 'accounts',
  group: 'Money',
  title: 'Failed accounts',
  async render(route, again) {
    const query = { cursor: route.query.cursor };
    const { items, next } = await askPage('/v2/admin/prop-accounts/failed', { query });
    const shown = table(
      'Accounts that could not be created, newest first',
      columns(again),
      items,
      'No failed accounts.',
    );
    const other = actionButton('Reinstate a stopped account', 'reinstatePropAccount', () => reinstateAny(again), {
      id: 'reinstate',
    });
    return { content: [shown, pager(route, next), h('p', {}, other)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<FailedAccount>[]} */
const columns = (again) => [
  ['Account', ({ id, app_id }) => [idLink(id), h('small', {}, 'of ', idLink(app_id))]],
  [
    'Tier',
    ({ tier_id, asset_class, account_size }) => `${tier_id}: ${asset_class}, ${account_size.toLocaleString('en')} USD`,
  ],
  ['Payment', ({ payment_id }) => (payment_id ? idLink(payment_id) : 'free')],
  ['Created', ({ created_at }) => moment(created_at)],
  ['Why', ({ failure_reason, safe_action }) => [failure_reason ?? '–', h('small', {}, `Safe: ${safe_action}`)]],
  ['Actions', (account) => buttons(account, again)],
];

/** @param {FailedAccount} account @param {Again} again */
function buttons({ id, payment_id }, again) {
  const button = buttonsOf(id, again);
  return [
    button('Provision again', 'provisionAgain', () => provision(id)),
    button('Attach', 'attachSubaccount', () => attach(id)),
    payment_id && button('Refund', 'refundPayment', () => refund(payment_id, null)),
    button('Give up', 'abandonPropAccount', () => abandon(id)),
  ];
}

/** @param {Again} again */
async function reinstateAny(again) {
  const field = {
    name: 'id',
    label: 'Account',
    hint: 'Stopped by a refund or a dispute: prop_…',
    more: { maxlength: 64 },
  };
  const chosen = await act({
    title: 'Reinstate an account',
    fields: [field],
    button: 'Go on',
    run: async ({ id }) => id,
  });
  if (chosen && (await reinstate(chosen))) await again(`${chosen} may trade again.`);
}
