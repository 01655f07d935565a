import { ask } from '../api.js';
import { act } from '../dialog.js';
import { reason } from '../fields.js';

/** Looks up at the processor the result of the step of a payout whose effect is unknown. @param {string} payout_id */
export const reconcilePayout = (payout_id) =>
  act({
    title: 'Look up a payout',
    says: [
      `Reads the processor's whole list for the last step of ${payout_id}, and records what is there. Moves no money by itself: a transfer that is found goes on to the bank, and a step that provably never happened may be made again.`,
    ],
    fields: [reason],
    button: 'Look up',
    run: (body, key) => ask('post', '/v2/admin/payouts/{payout_id}/resolve', { path: { payout_id }, body, key }),
  });

/** The text for the result of a look-up. @param {import('../api.js').Schemas['PayoutResolution']} found */
export const resolution = ({ payout_id, step, status, processor_id }) =>
  status === 'found'
    ? `Look up: ${payout_id}. The ${step} was made (${processor_id}).`
    : `Look up: ${payout_id}. The ${step} was never made; it may be made again.`;

/** Takes the money of a payout back from the trader's payout account. @param {string} payout_id @param {string} sum */
export const reverse = (payout_id, sum) =>
  act({
    title: 'Reverse a payout',
    says: [`Takes ${sum} of ${payout_id} back from the payout account. The trader can request it again afterwards.`],
    twice: { says: `This moves money: ${sum} back to the platform.`, word: 'reverse' },
    fields: [reason],
    button: 'Take it back',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/payouts/{payout_id}/reverse', { path: { payout_id }, body, key }),
  });
