import { ask } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { actionButton } from '../table.js';

/** @typedef {import('../fields.js').Field} Field */
/** @typedef {import('../views.js').Again} Again */

/** Help for users, operators and partners that starts from an id. @type {import('../views.js').View} */
export const recovery = {
  name: 'recovery',
  group: 'Access',
  title: 'Recovery',
  async render(_, again) {
    return { content: actions.map((action) => card(action, again)) };
  },
};

/**
 * @typedef {object} Recovery
 * @property {string} id of its button
 * @property {import('../permissions.js').OperationId} operation
 * @property {string} title
 * @property {string} says what it does, and what to check first
 * @property {Field[]} fields
 * @property {string} button
 * @property {(values: any, key: string) => Promise<unknown>} run `values` by field name
 * @property {(values: any) => string} done the text for the result
 */

/** @param {string} name @param {string} label @param {string} hint @returns {Field} */
const idField = (name, label, hint) => ({ name, label, hint, more: { minlength: 1, maxlength: 64 } });

/** @type {Recovery[]} */
const actions = [
  {
    id: 'remove-authenticator',
    operation: 'removeUserAuthenticator',
    title: 'Remove a user’s authenticator',
    says: 'For a user who has lost it. Check who asks outside this service first. The user is notified by mail.',
    fields: [idField('user_id', 'User', 'usr_…'), reason],
    button: 'Remove',
    run: ({ user_id, ...body }, key) =>
      ask('post', '/v2/admin/users/{user_id}/remove-authenticator', { path: { user_id }, body, key }),
    done: ({ user_id }) => `The authenticator of ${user_id} is removed.`,
  },
  {
    id: 'release-operator',
    operation: 'releaseOperator',
    title: 'Release an operator',
    says: 'For another operator whose log-ins are rejected after 20 wrong codes in a day. The caller had the password: have it changed.',
    fields: [idField('admin_id', 'Operator', 'Its id: the subject of admin.login_refused in the audit.'), reason],
    button: 'Release',
    run: ({ admin_id, ...body }, key) =>
      ask('post', '/v2/admin/operators/{admin_id}/release', { path: { admin_id }, body, key }),
    done: ({ admin_id }) => `${admin_id} may try codes again.`,
  },
  {
    id: 'move-wallet-link',
    operation: 'moveWalletLink',
    title: 'Move a wallet link',
    says: 'Gives an unproven link to the partner that has proven control of the wallet. The subaccount then belongs to that partner.',
    fields: [
      { name: 'ex_wallet', label: 'Wallet', hint: '0x…', more: { pattern: '0x[0-9a-fA-F]{40}', maxlength: 42 } },
      idField('partner_id', 'Partner', 'ptn_…'),
      reason,
    ],
    button: 'Move',
    run: ({ ex_wallet, ...body }, key) =>
      ask('post', '/v2/admin/wallet-links/{ex_wallet}/move', { path: { ex_wallet }, body, key }),
    done: ({ ex_wallet, partner_id }) => `${ex_wallet} is linked for ${partner_id}.`,
  },
];

/** @param {Recovery} action @param {Again} again */
const card = ({ id, operation, title, says, fields, button, run, done }, again) => {
  const begin = async () => {
    const given = await act({
      title,
      says: [says],
      fields,
      button,
      isDanger: true,
      run: async (values, key) => {
        await run(values, key);
        return values;
      },
    });
    if (given) await again(done(given));
  };
  return h('section', {}, h('p', {}, says), h('p', {}, actionButton(title, operation, begin, { id })));
};
