import { ask, askPage } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { idLink, moment, money } from '../format.js';
import { lackFor } from '../permissions.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['LedgerBalance']} LedgerBalance */
/** @typedef {import('../api.js').Schemas['LedgerDifference']} LedgerDifference */

const MONTHS = 12;

/** Balances of the ledger, where they differ from the processor's, and files of months. @type {import('../views.js').View} */
export const ledger = {
  name: 'ledger',
  group: 'Money',
  title: 'Ledger',
  async render(route) {
    const query = { as_of: route.query.as_of || undefined, cursor: route.query.cursor };
    const [{ items, next }, differences] = await Promise.all([
      askPage('/v2/admin/ledger/balances', { query }),
      ask('get', '/v2/admin/ledger/differences'),
    ]);
    const of = route.query.as_of ? `before ${route.query.as_of}` : 'now';
    return {
      content: [
        table(
          'Where the ledger and the processor differ',
          differing,
          differences,
          'The ledger and the processor agree.',
        ),
        filter(route, [
          { name: 'as_of', label: 'Balances before', more: { maxlength: 40, placeholder: '2026-01-01T00:00:00Z' } },
        ]),
        table(`Balances ${of}; debits are positive`, columns, items, 'No money has moved.'),
        pager(route, next),
        h('section', {}, h('h2', {}, 'Months, as CSV'), months()),
      ],
    };
  },
};

/** @type {import('../table.js').Column<LedgerDifference>[]} */
const differing = [
  [
    'Balance',
    ({ subject, processor_object, place }) => [
      idLink(subject),
      h('small', {}, `${place.replace('_', ' ')} `, processor_object),
    ],
  ],
  ['Ledger', ({ posted, currency }) => money(posted, currency)],
  ['Processor', ({ shown, currency }) => money(shown, currency)],
  ['Since', ({ since }) => moment(since)],
  ['Of', ({ user_id, app_id }) => [idLink(user_id), h('small', {}, 'of ', idLink(app_id))]],
  ['Safe', ({ safe_action }) => safe_action],
];

/** @type {import('../table.js').Column<LedgerBalance>[]} */
const columns = [
  ['Account', ({ account, payout_account }) => [account.replace('_', ' '), h('small', {}, payout_account)]],
  ['Currency', ({ currency }) => currency],
  ['Balance', ({ balance, currency }) => money(balance, currency)],
];

/** The last months, newest first, as `2026-01`. */
function lastMonths() {
  const now = new Date();
  return Array.from({ length: MONTHS }, (_, n) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n)).toISOString().slice(0, 7),
  );
}

/** A link would download the rejection as a file. */
function months() {
  const lack = lackFor('closeLedgerMonth');
  return lack === null ? h('ul', {}, lastMonths().map(fileOf)) : h('p', {}, lack);
}

/** @param {string} month */
const fileOf = (month) =>
  h('li', {}, h('a', { href: `/v2/admin/ledger/months/${month}`, download: `ledger-${month}.csv` }, month));
