import { ask } from '../api.js';
import { act } from '../dialog.js';
import { reason } from '../fields.js';
import { money } from '../format.js';

/** What became of an action, in words. @param {string} label @param {string} of @param {{ status: string }} done */
export const outcome = (label, of, { status }) =>
  `${label}: ${of}. ${status === 'pending' ? 'Accepted, and not carried out yet.' : 'Done.'}`;

/** Gives a payment's money back; asks twice, since it moves money. @param {string} payment_id @param {{ cents: number, currency: string } | null} amount where it is known */
export function refund(payment_id, amount) {
  const sum = amount ? money(amount.cents, amount.currency) : 'what is left of it';
  return act({
    title: 'Give a payment back',
    says: [`Gives back ${sum} of the payment ${payment_id} by the card processor. Its account stops trading.`],
    twice: {
      says: `This moves money: ${sum} to the card it came from. It can not be taken back.`,
      word: amount ? (amount.cents / 100).toFixed(2) : 'refund',
    },
    button: 'Give it back',
    isDanger: true,
    run: (_, key) => ask('post', '/v2/admin/payments/{payment_id}/refund', { path: { payment_id }, key }),
  });
}

/** Makes a failed account's subaccount once more. @param {string} id */
export const provision = (id) =>
  act({
    title: 'Provision again',
    says: [
      `Asks the network once more for the subaccount of ${id}. Refused unless it is proven that none was made before.`,
    ],
    button: 'Provision again',
    run: (_, key) => ask('post', '/v2/admin/prop-accounts/{id}/provision', { path: { id }, key }),
  });

/** Gives a failed account a subaccount that stands at the network. @param {string} id */
export const attach = (id) =>
  act({
    title: 'Attach a subaccount',
    says: [`Gives ${id} a subaccount that stands at the network, of the same class and size, and nobody’s.`],
    fields: [
      { name: 'subaccount_id', label: 'Subaccount id', kind: 'number', more: { min: 0, max: 999_999_999, step: 1 } },
    ],
    button: 'Attach',
    run: ({ subaccount_id }, key) => {
      const body = { subaccount_id: Number(subaccount_id) };
      return ask('post', '/v2/admin/prop-accounts/{id}/attach', { path: { id }, body, key });
    },
  });

/** Lets an account trade again that a refund or a dispute had stopped. @param {string} id */
export const reinstate = (id) =>
  act({
    title: 'Reinstate an account',
    says: [`Lets ${id} trade again. The network has the last word: what it has eliminated stays so.`],
    button: 'Reinstate',
    run: (_, key) => ask('post', '/v2/admin/prop-accounts/{id}/reinstate', { path: { id }, key }),
  });

/** Ends the efforts for a failed account. @param {string} id */
export const giveUp = (id) =>
  act({
    title: 'Give an account up',
    says: [`Ends all efforts for ${id}. Refused while it is paid for and neither refunded nor disputed.`],
    fields: [reason],
    button: 'Give it up',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/prop-accounts/{id}/give-up', { path: { id }, body, key }),
  });
