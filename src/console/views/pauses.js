import { ask } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { idLink, moment } from '../format.js';
import { makeButton, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Pauses']['pauses'][number]} Pause */
/** @typedef {import('../views.js').Again} Again */

/** What operators have paused, with the actions on it. @param {Pause[]} pauses @param {Again} again */
export const pausesOf = (pauses, again) =>
  h(
    'section',
    { 'aria-label': 'Pauses' },
    makeButton('pause', 'Pause sending', 'pauseWork', () => pause(again)),
    table('Paused by operators', columns(again), pauses, 'Nothing is paused.'),
  );

/** @param {Again} again @returns {import('../table.js').Column<Pause>[]} */
const columns = (again) => [
  ['What', ({ subject, name }) => (name === null ? subject : [name, h('small', {}, idLink(subject))])],
  ['Holds', ({ holds_exits }) => (holds_exits ? 'everything' : 'all but exits')],
  ['Why', ({ reason: why }) => why],
  ['By', ({ paused_by }) => paused_by],
  ['Since', ({ paused_at }) => moment(paused_at)],
  ['Wait', ({ waiting }) => waiting],
  ['Actions', (row) => rowButton('End the pause', row.subject, 'endPause', () => end(row, again))],
];

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'subject',
    label: 'Upstream, partner or app',
    hint: 'netvenue, exvenue, processor, registrar, ptn_… or app_…',
    more: { maxlength: 64 },
  },
  {
    name: 'holds_exits',
    label: 'Cancellations, closes and protection',
    kind: 'select',
    options: [
      ['', 'go on'],
      ['true', 'wait too'],
    ],
    optional: true,
    isPlain: true,
  },
  reason,
];

/** @param {Again} again */
async function pause(again) {
  const done = await act({
    title: 'Send nothing new',
    says: [
      'Writes are accepted and wait. Orders whose deadline passes meanwhile expire unsent. What was sent is reconciled.',
    ],
    fields,
    button: 'Pause',
    isDanger: true,
    run: ({ subject, holds_exits, reason: why }, key) => {
      const body = { subject: subject.trim(), holds_exits: holds_exits === 'true', reason: why };
      return ask('post', '/v2/admin/pauses', { body, key });
    },
  });
  if (done) await again('It is paused.');
}

/** @param {Pause} pause @param {Again} again */
async function end({ subject }, again) {
  const done = await act({
    title: 'End the pause',
    says: [`What waits for ${subject} goes on at once.`],
    fields: [reason],
    button: 'End it',
    run: (body, key) => ask('post', '/v2/admin/pauses/{subject}/end', { path: { subject }, body, key }),
  });
  if (done) await again(`Writes that go on: ${done.queued}.`);
}
