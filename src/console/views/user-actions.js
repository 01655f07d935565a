import { ask } from '../api.js';
import { act } from '../dialog.js';
import { reason } from '../fields.js';

/** @typedef {{ user_id: string, email: string }} User */

/**
 * Ends all sessions of a user, or one. The text for the result, or null if the operator cancelled.
 * @param {User & { session_id?: string }} user
 */
export async function endSessions({ user_id, email, session_id }) {
  const done = await act({
    title: session_id ? `End a session of ${email}` : `End all sessions of ${email}`,
    says: [
      'What was made in it ends too: trader keys, a payout account, pending payouts, a verification that has not ended, an authenticator that no log-in has used.',
      'The password stays valid: if somebody else knows it, let the user reset it first.',
    ],
    fields: [reason],
    button: 'End',
    isDanger: true,
    run: (body, key) =>
      ask('post', '/v2/admin/users/{user_id}/end-sessions', {
        path: { user_id },
        body: { ...body, ...(session_id && { session_id }) },
        key,
      }),
  });
  return done && `Sessions ended: ${done.ended}.`;
}

/**
 * Detaches a user's payout account. The text for the result, or null if the operator cancelled.
 * @param {{ email: string, account: string }} user
 */
export async function detachPayoutAccount({ email, account }) {
  const done = await act({
    title: `Detach the payout account of ${email}`,
    says: ['No payout goes there any more. The user is notified by mail and may open another account.'],
    fields: [reason],
    button: 'Detach',
    isDanger: true,
    run: (body, key) =>
      ask('post', '/v2/admin/payout-accounts/{processor_account_id}/detach', {
        path: { processor_account_id: account },
        body,
        key,
      }),
  });
  return done && `The payout account of ${email} is detached.`;
}

/** Removes a user's authenticator. The text for the result, or null if the operator cancelled. @param {User} user */
export async function removeAuthenticator({ user_id, email }) {
  const done = await act({
    title: `Remove the authenticator of ${email}`,
    says: ['For a user who has lost it. Check who asks outside this service first. The user is notified by mail.'],
    fields: [reason],
    button: 'Remove',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/users/{user_id}/remove-authenticator', { path: { user_id }, body, key }),
  });
  return done && `The authenticator of ${email} is removed.`;
}
