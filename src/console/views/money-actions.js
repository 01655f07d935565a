import { ask } from '../api.js';
import { act } from '../dialog.js';
import { reason } from '../fields.js';
import { money, plainAmount } from '../format.js';
import { rowButton } from '../table.js';

/** The text for the result of an action. @param {string} label @param {string} of @param {{ status: string }} done */
const outcome = (label, of, { status }) =>
  `${label}: ${of}. ${status === 'pending' ? 'Accepted, not executed yet.' : 'Done.'}`;

/**
 * Makes the buttons of a row: each acts on what the row is `of`, and reads the view again with the result.
 * @param {string} of @param {import('../views.js').Again} again
 */
export const buttonsOf =
  (of, again) =>
  (
    /** @type {string} */ label,
    /** @type {import('../permissions.js').OperationId} */ operation,
    /** @type {() => Promise<{ status: string } | null>} */ action,
  ) =>
    rowButton(label, of, operation, async () => {
      const done = await action();
      if (done) await again(outcome(label, of, done));
    });

/** Refunds a payment. Asks for confirmation twice, because it moves money. @param {string} payment_id @param {{ cents: number, currency: string } | null} amount null if unknown */
export function refund(payment_id, amount) {
  const sum = amount ? money(amount.cents, amount.currency) : 'the remaining amount';
  return act({
    title: 'Refund a payment',
    says: [`Refunds ${sum} of the payment ${payment_id} through the card processor. Its account stops trading.`],
    twice: {
      says: `This moves money: ${sum} to the card it came from. It cannot be undone.`,
      word: amount ? plainAmount(amount.cents, amount.currency) : 'refund',
    },
    fields: [reason],
    button: 'Give it back',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/payments/{payment_id}/refund', { path: { payment_id }, body, key }),
  });
}

/** Requests the subaccount of a failed account again. @param {string} id */
export const provision = (id) =>
  act({
    title: 'Provision again',
    says: [
      `Requests the subaccount of ${id} from the network again. Rejected unless it is proven that none was created before.`,
    ],
    fields: [reason],
    button: 'Provision again',
    run: (body, key) => ask('post', '/v2/admin/prop-accounts/{id}/provision', { path: { id }, body, key }),
  });

/** @type {import('../fields.js').Field} */
const subaccountId = {
  name: 'subaccount_id',
  label: 'Subaccount id',
  kind: 'number',
  more: { min: 0, max: 999_999_999, step: 1 },
};

/** Assigns a subaccount that exists at the network to a registration of a partner. @param {string} intent_id */
export const attachRegistration = (intent_id) =>
  attachTo(
    'Gives the partner a subaccount that exists at the network. It must be what the partner requested, of the same size and class or wallet, and have no owner.',
    (body, key) => ask('post', '/v2/admin/registrations/{intent_id}/attach', { path: { intent_id }, body, key }),
  );

/** Assigns a subaccount that exists at the network to a failed account. @param {string} id */
export const attach = (id) =>
  attachTo(
    `Assigns to ${id} a subaccount that exists at the network. It must have the same class and size and no owner.`,
    (body, key) => ask('post', '/v2/admin/prop-accounts/{id}/attach', { path: { id }, body, key }),
  );

/** @template Result @param {string} says @param {(body: { subaccount_id: number }, key: string) => Promise<Result>} send */
const attachTo = (says, send) =>
  act({
    title: 'Attach a subaccount',
    says: [says],
    fields: [subaccountId, reason],
    button: 'Attach',
    run: ({ subaccount_id, ...why }, key) => send({ subaccount_id: Number(subaccount_id), ...why }, key),
  });

/** Lets an account trade again that a refund or a dispute has stopped. @param {string} id */
export const reinstate = (id) =>
  act({
    title: 'Reinstate an account',
    says: [`Lets ${id} trade again. An account that the network has eliminated stays eliminated.`],
    fields: [reason],
    button: 'Reinstate',
    run: (body, key) => ask('post', '/v2/admin/prop-accounts/{id}/reinstate', { path: { id }, body, key }),
  });

/** Abandons a failed account. @param {string} id */
export const abandon = (id) =>
  act({
    title: 'Give up an account',
    says: [`Abandons ${id} permanently. Rejected while it is paid and neither refunded nor disputed.`],
    fields: [reason],
    button: 'Give it up',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/prop-accounts/{id}/abandon', { path: { id }, body, key }),
  });
