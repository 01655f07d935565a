import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { badge, idLink, moment, money } from '../format.js';
import { pager, rowButton, table } from '../table.js';
import { buttonsOf } from './money-actions.js';

/** @typedef {import('../api.js').Schemas['StrandedPayout']} StrandedPayout */
/** @typedef {import('../views.js').Again} Again */

/** Payouts whose money is neither with the platform nor on its way to a bank. @type {import('../views.js').View} */
export const stranded = {
  name: 'stranded',
  group: 'Money',
  title: 'Stranded payouts',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/payouts/stranded', { query: { cursor: route.query.cursor } });
    const caption = 'Payouts that failed after the transfer, or of unknown effect, oldest first';
    return { content: [table(caption, columns(again), items, 'No stranded payouts.'), pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<StrandedPayout>[]} */
const columns = (again) => [
  [
    'Payout',
    (payout) => [
      money(payout.amount_cents, payout.currency),
      h('small', {}, `At the payout account: ${money(leftOf(payout), payout.currency)}`),
      h('small', {}, idLink(payout.payout_id)),
    ],
  ],
  ['Since', ({ since }) => moment(since)],
  ['To', ({ owner, user_id }) => [idLink(user_id), h('small', {}, 'of ', idLink(owner))]],
  ['Last step', ({ step, step_state }) => [step ?? '–', ' ', step_state && badge(step_state)]],
  ['Why', ({ failure_reason, safe_action }) => [failure_reason ?? '–', h('small', {}, `Safe: ${safe_action}`)]],
  ['Actions', (payout) => buttons(payout, again)],
];

/** What the payout account has of it, in cents. @param {StrandedPayout} payout */
const leftOf = ({ transferred_cents, reversed_cents }) => transferred_cents - reversed_cents;

/** @param {StrandedPayout} payout @param {Again} again */
function buttons(payout, again) {
  const { payout_id: id, step, step_state, currency } = payout;
  if (step_state === 'unknown')
    return rowButton('Look up', id, 'resolvePayout', async () => {
      const done = await reconcilePayout(id);
      if (done) await again(resolution(done));
    });
  const isWithBank = step === 'payout' && (step_state === 'sent' || step_state === 'done');
  if (leftOf(payout) <= 0 || isWithBank) return '–';
  return buttonsOf(id, again)('Reverse', 'reversePayout', () => reverse(id, money(leftOf(payout), currency)));
}

/** Looks up the result of a payout step of unknown effect at the processor. @param {string} payout_id */
const reconcilePayout = (payout_id) =>
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
const resolution = ({ payout_id, step, status, processor_id }) =>
  status === 'found'
    ? `Look up: ${payout_id}. The ${step} was made (${processor_id}).`
    : `Look up: ${payout_id}. The ${step} was never made; it may be made again.`;

/** Takes the money of a payout back from the trader's payout account. @param {string} payout_id @param {string} sum */
const reverse = (payout_id, sum) =>
  act({
    title: 'Reverse a payout',
    says: [`Takes ${sum} of ${payout_id} back from the payout account. The trader can request it again afterwards.`],
    twice: { says: `This moves money: ${sum} back to the platform.`, word: 'reverse' },
    fields: [reason],
    button: 'Take it back',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/payouts/{payout_id}/reverse', { path: { payout_id }, body, key }),
  });
