import { ask } from '../api.js';
import { copyButton } from '../copy.js';
import { h } from '../dom.js';
import { badge, idLink, moment, money } from '../format.js';
import { routeTo } from '../route.js';
import { actionButton, facts, rowButton, table } from '../table.js';
import { buttonsOf, refund } from './money-actions.js';
import { detachPayoutAccount, endSessions, removeAuthenticator } from './user-actions.js';

/** @typedef {import('../api.js').Schemas['UserRecord']} UserRecord */
/** @typedef {import('../views.js').Again} Again */
/** @template T @typedef {import('../table.js').Column<T>} Column */

/** One user: what belongs to it, and what an operator can do for it. @param {string} user_id @param {Again} again */
export async function renderUser(user_id, again) {
  const user = await ask('get', '/v2/admin/users/{user_id}', { path: { user_id } });
  return {
    content: [
      stateOf(user),
      buttons(user, again),
      table('Prop accounts', accountColumns, user.prop_accounts, 'No prop account.'),
      table('Payments', paymentColumns(again), user.payments, 'No payment.'),
      table('Payouts', payoutColumns, user.payouts, 'No payout.'),
      table('Open sessions', sessionColumns(user, again), user.sessions, 'No open session.'),
    ],
  };
}

/** @param {UserRecord} user */
const stateOf = (user) =>
  h(
    'section',
    { 'aria-labelledby': 'user' },
    h('h2', { id: 'user' }, user.email),
    facts([
      ['User', [idLink(user.user_id), ' ', copyButton(user.user_id)]],
      ['App', [user.app_name, ' ', idLink(user.app_id)]],
      ['Address', badge(user.email_verified ? 'verified' : 'unverified')],
      ['Password', user.has_password ? 'set' : 'none: a reset sets one'],
      ['Authenticator', user.authenticator_enabled_at ? ['since ', moment(user.authenticator_enabled_at)] : 'none'],
      ['Identity (KYC)', verification(user)],
      ['Payout account', payoutAccount(user)],
      ['Signed up', moment(user.created_at)],
      ['Done by operators', h('a', { href: routeTo('audit', { subject: user.user_id }) }, 'Audit of this user')],
    ]),
  );

/** @param {UserRecord} user */
function verification({ identity_verification: found }) {
  if (!found) return 'not begun';
  const { status, session_id, verified_at, failure_reason } = found;
  return [badge(status), ' ', verified_at ? moment(verified_at) : failure_reason, ' ', idLink(session_id)];
}

/** @param {UserRecord} user */
function payoutAccount({ payout_account: found }) {
  if (!found) return 'none';
  const { payouts_enabled, details_submitted, country, processor_account_id } = found;
  const state = payouts_enabled ? 'enabled' : details_submitted ? 'in review' : 'onboarding unfinished';
  return [badge(state), ' ', country, ' ', idLink(processor_account_id)];
}

/** @param {UserRecord} user @param {Again} again */
function buttons(user, again) {
  const { user_id, email } = user;
  const account = user.payout_account?.processor_account_id;
  const button = (
    /** @type {string} */ id,
    /** @type {string} */ label,
    /** @type {import('../permissions.js').OperationId} */ operation,
    /** @type {() => Promise<string | null>} */ run,
  ) => actionButton(label, operation, async () => report(await run(), again), { id });
  return h(
    'p',
    { class: 'buttons' },
    user.sessions.length > 0 &&
      button('end-sessions', 'End all sessions', 'endUserSessions', () => endSessions({ user_id, email })),
    user.authenticator_enabled_at &&
      button('remove-authenticator', 'Remove the authenticator', 'removeUserAuthenticator', () =>
        removeAuthenticator({ user_id, email }),
      ),
    account &&
      button('detach-payout-account', 'Detach the payout account', 'detachPayoutAccount', () =>
        detachPayoutAccount({ email, account }),
      ),
  );
}

/** @param {string | null} done @param {Again} again */
const report = async (done, again) => {
  if (done !== null) await again(done);
};

/** @type {Column<UserRecord['prop_accounts'][number]>[]} */
const accountColumns = [
  ['Account', ({ id }) => idLink(id)],
  [
    'Tier',
    ({ tier_id, asset_class, account_size }) => `${tier_id}: ${asset_class}, ${account_size.toLocaleString('en')} USD`,
  ],
  ['State', ({ status, failure_reason }) => [badge(status), failure_reason && h('small', {}, failure_reason)]],
  ['Subaccount', ({ synthetic_hotkey }) => idLink(synthetic_hotkey)],
  ['Payment', ({ payment_id }) => (payment_id ? idLink(payment_id) : 'free')],
  ['Created', ({ created_at }) => moment(created_at)],
];

/** @param {Again} again @returns {Column<UserRecord['payments'][number]>[]} */
const paymentColumns = (again) => [
  ['Payment', ({ payment_id }) => idLink(payment_id)],
  ['Amount', ({ amount_cents, currency }) => money(amount_cents, currency)],
  ['Tier', ({ tier_id }) => tier_id],
  ['State', ({ status, failure_code }) => [badge(status), failure_code && h('small', {}, failure_code)]],
  ['Kept', ({ held_cents, held_currency }) => money(held_cents, held_currency)],
  ['Paid', ({ paid_at }) => moment(paid_at)],
  ['Actions', (payment) => refundButton(payment, again)],
];

/** @param {UserRecord['payments'][number]} payment @param {Again} again */
function refundButton({ payment_id, held_cents: cents, held_currency: currency }, again) {
  if (cents <= 0) return '–';
  return buttonsOf(payment_id, again)('Refund', 'refundPayment', () => refund(payment_id, { cents, currency }));
}

/** @type {Column<UserRecord['payouts'][number]>[]} */
const payoutColumns = [
  ['Payout', ({ payout_id }) => idLink(payout_id)],
  ['Amount', ({ amount_cents, currency }) => money(amount_cents, currency)],
  ['State', ({ status, failure_reason }) => [badge(status), failure_reason && h('small', {}, failure_reason)]],
  ['Account', ({ prop_account_id }) => idLink(prop_account_id)],
  ['Requested', ({ requested_at }) => moment(requested_at)],
];

/** @param {UserRecord} user @param {Again} again @returns {Column<UserRecord['sessions'][number]>[]} */
const sessionColumns = ({ user_id, email }, again) => [
  ['From', ({ address }) => address ?? '–'],
  ['Opened', ({ created_at }) => moment(created_at)],
  ['Last used', ({ last_seen_at }) => moment(last_seen_at)],
  ['Expires', ({ expires_at }) => moment(expires_at)],
  [
    'Actions',
    ({ session_id }) =>
      rowButton('End', session_id, 'endUserSessions', async () =>
        report(await endSessions({ user_id, email, session_id }), again),
      ),
  ],
];
