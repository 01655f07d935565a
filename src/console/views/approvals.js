import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { badge, code, idLink, moment } from '../format.js';
import { lackOfRole } from '../permissions.js';
import { pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Approval']} Approval */
/** @typedef {import('../views.js').Again} Again */

/** Requests of operators that need another operator's approval. @type {import('../views.js').View} */
export const approvals = {
  name: 'approvals',
  group: 'Access',
  title: 'Approvals',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/approvals', { query: { cursor: route.query.cursor } });
    const shown = table('Requests for approval, newest first', columns(again), items, 'Nothing was asked for.');
    const note = 'Once a request is approved, the operator who made it repeats it within 24 hours.';
    return { content: [h('p', { class: 'note' }, note), shown, pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<Approval>[]} */
const columns = (again) => [
  ['Request', ({ operation, approval_id }) => [operation, h('small', {}, code(approval_id))]],
  ['About', ({ subject }) => idLink(subject)],
  [
    'Asks for',
    ({ summary }) => Object.entries(summary).map(([name, value]) => h('div', {}, `${name}: ${text(value)}`)),
  ],
  ['Why', ({ reason: why }) => why ?? '–'],
  [
    'Asked by',
    ({ requested_by_name, requested_by, requested_at }) => [
      requested_by_name ?? requested_by,
      ' ',
      moment(requested_at),
    ],
  ],
  ['State', (approval) => [badge(approval.status), decisionOn(approval)]],
  [
    'Actions',
    (approval) =>
      approval.status === 'pending'
        ? [
            decisionButton('Approve', approval, 'approveRequest', () => decide(approval, true, again)),
            decisionButton('Reject', approval, 'rejectRequest', () => decide(approval, false, again)),
          ]
        : '–',
  ],
];

/**
 * A decision takes the role of the request.
 * @param {string} label @param {Approval} approval @param {import('../permissions.js').OperationId} operation @param {() => unknown} onclick
 */
function decisionButton(label, { approval_id, role }, operation, onclick) {
  const button = rowButton(label, approval_id, operation, onclick);
  const lack = lackOfRole(role);
  if (lack !== null) Object.assign(button, { disabled: true, title: lack });
  return button;
}

/** @param {unknown} value */
const text = (value) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);

/** @param {Approval} approval */
const decisionOn = ({ decided_by_name, decided_by, decided_because }) =>
  decided_by && h('small', {}, `${decided_by_name ?? decided_by}: ${decided_because}`);

/** @param {Approval} approval @param {boolean} isApproved @param {Again} again */
async function decide({ approval_id, operation, requested_by_name, requested_by }, isApproved, again) {
  const verb = isApproved ? 'Approve' : 'Reject';
  const done = await act({
    title: `${verb} ${operation}`,
    says: [`${requested_by_name ?? requested_by} asks for it.`],
    fields: [reason],
    button: verb,
    isDanger: isApproved,
    run: (body, key) =>
      ask(
        'post',
        isApproved ? '/v2/admin/approvals/{approval_id}/approve' : '/v2/admin/approvals/{approval_id}/reject',
        {
          path: { approval_id },
          body,
          key,
        },
      ),
  });
  if (done) await again(`${operation}: ${done.status}.`);
}
