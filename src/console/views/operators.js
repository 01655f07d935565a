import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { activity, badge, idLink, moment } from '../format.js';
import { routeTo } from '../route.js';
import { makeButton, pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Operator']} Operator */
/** @typedef {import('../views.js').Again} Again */

/** Operators, their roles and sessions. @type {import('../views.js').View} */
export const operators = {
  name: 'operators',
  group: 'Access',
  title: 'Operators',
  reads: 'listOperators',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/operators', { query: { cursor: route.query.cursor } });
    const make = makeButton('invite-operator', 'Invite an operator', 'inviteOperator', () => invite(again));
    return { content: [make, table('Operators', columns(again), items, 'No operator.'), pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<Operator>[]} */
const columns = (again) => [
  ['Operator', ({ email, admin_id }) => [email, h('small', {}, idLink(admin_id))]],
  ['Role', ({ role }) => role],
  ['State', ({ active, totp_enrolled }) => [activity(active), totp_enrolled ? '' : badge('without authenticator')]],
  ['Invited until', ({ invited_until }) => (invited_until ? moment(invited_until) : '–')],
  ['Sessions', ({ open_sessions }) => open_sessions],
  ['Last seen', ({ last_seen_at }) => (last_seen_at ? moment(last_seen_at) : '–')],
  ['Done', ({ admin_id }) => h('a', { href: routeTo('audit', { subject: admin_id }) }, 'Audit')],
  ['Actions', (operator) => verbs(operator, again)],
];

/** @param {Operator} operator @param {Again} again */
const verbs = (operator, again) => [
  rowButton('Change role', operator.email, 'setOperatorRole', () => changeRole(operator, again)),
  rowButton('End sessions', operator.email, 'endOperatorSessions', () => run(ENDS, operator, again)),
  rowButton('Reset authenticator', operator.email, 'resetOperatorAuthenticator', () => run(RESETS, operator, again)),
  operator.active
    ? rowButton('Disable', operator.email, 'disableOperator', () => run(DISABLES, operator, again))
    : rowButton('Enable', operator.email, 'enableOperator', () => run(ENABLES, operator, again)),
];

/** @type {import('../fields.js').Field} */
const role = {
  name: 'role',
  label: 'Role',
  hint: 'A viewer reads; support and finance each do more; an admin does everything.',
  kind: 'select',
  options: ['viewer', 'support', 'finance', 'admin'],
};

/** @param {Again} again */
async function invite(again) {
  const done = await act({
    title: 'Invite an operator',
    says: ['The operator gets a mail with a link to set a password. It is valid for 24 hours.'],
    fields: [{ name: 'email', label: 'E-mail address', kind: 'email' }, role, reason],
    button: 'Invite',
    run: (body, key) => ask('post', '/v2/admin/operators', { body, key }),
  });
  if (done) await again(`${done.email} is invited.`);
}

/** @param {Operator} operator @param {Again} again */
async function changeRole({ admin_id, email, role: present }, again) {
  const done = await act({
    title: `Change the role of ${email}`,
    fields: [{ ...role, value: present }, reason],
    button: 'Change',
    run: (body, key) => ask('patch', '/v2/admin/operators/{admin_id}', { path: { admin_id }, body, key }),
  });
  if (done) await again(`${email} is ${done.role} now.`);
}

const DISABLES = /** @type {const} */ ({
  title: 'Disable',
  says: 'Ends the sessions. The operator cannot log in until somebody enables the account again.',
  path: '/v2/admin/operators/{admin_id}/disable',
  done: 'is disabled',
});
const ENABLES = /** @type {const} */ ({
  title: 'Enable',
  says: 'The operator can log in again.',
  path: '/v2/admin/operators/{admin_id}/enable',
  done: 'is enabled',
});
const ENDS = /** @type {const} */ ({
  title: 'End the sessions of',
  says: 'The operator has to log in again.',
  path: '/v2/admin/operators/{admin_id}/end-sessions',
  done: 'has no session any more',
});
const RESETS = /** @type {const} */ ({
  title: 'Reset the authenticator of',
  says: 'Removes authenticator and password, ends the sessions, and mails a new invitation.',
  path: '/v2/admin/operators/{admin_id}/reset-authenticator',
  done: 'is invited anew',
});

/** @param {typeof DISABLES | typeof ENABLES | typeof ENDS | typeof RESETS} verb @param {Operator} operator @param {Again} again */
async function run({ title, says, path, done: what }, { admin_id, email }, again) {
  const done = await act({
    title: `${title} ${email}`,
    says: [says],
    fields: [reason],
    button: title.split(' ')[0] ?? title,
    isDanger: true,
    run: (body, key) => ask('post', path, { path: { admin_id }, body, key }),
  });
  if (done) await again(`${email} ${what}.`);
}
