import { act } from '../dialog.js';
import { h } from '../dom.js';
import { code } from '../format.js';
import { makeButton, rowButton, table } from '../table.js';

/** @typedef {import('../views.js').Again} Again */
/** @typedef {{ name: string, optional: boolean, example: unknown, description: string }} Member */
/** @typedef {{ method: string, path: string, does: string, members: Member[], body?: object }} Call */
/** @typedef {{ name: string, ledger: string, faults: string }} Upstream */
/** @typedef {{ member: string, value: string, effect: string }} MagicValue */
/** @typedef {{ kind: string, effect: string }} Fault */
/** @typedef {{ advance: string, upstreams: Upstream[], controls: Call[], magic_values: MagicValue[], faults: Fault[] }} Overview */

/** What can be set in the sandbox beside the service: its clock, its people and banks, and its faults. @type {import('../views.js').View} */
export const sandbox = {
  name: 'sandbox',
  group: 'Access',
  title: 'Sandbox',
  async render(_, again) {
    const response = await fetch('/sandbox', { headers: { Accept: 'application/json' } });
    if (!response.ok) return { content: [h('p', {}, 'This service has no sandbox: its upstreams are real.')] };
    /** @type {Overview} */
    const { advance, upstreams, controls, magic_values, faults } = await response.json();
    return {
      content: [
        makeButton('advance', 'Let time pass', null, () => letPass(advance, again)),
        table('Control calls', callColumns(again), controls, 'None.'),
        table('Upstreams', upstreamColumns(faults, again), upstreams, 'None.'),
        table('Magic values', magicColumns, magic_values, 'None.'),
      ],
    };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<Call>[]} */
const callColumns = (again) => [
  ['Call', ({ method, path }) => code(`${method} ${path}`)],
  ['Effect', ({ does }) => does],
  ['Actions', (call) => rowButton('Send', call.path, null, () => send(call, again))],
];

/** @param {Overview['faults']} faults @param {Again} again @returns {import('../table.js').Column<Upstream>[]} */
const upstreamColumns = (faults, again) => [
  ['Upstream', ({ name }) => name],
  ['Effects', ({ ledger }) => h('a', { href: ledger }, 'Ledger')],
  [
    'Actions',
    ({ name, faults: path }) => [
      rowButton('Add a fault', name, null, () => addFault(name, path, faults, again)),
      ' ',
      rowButton('Clear faults', name, null, async () => again(`Faults of the ${name}: ${await call('DELETE', path)}`)),
    ],
  ],
];

/** @type {import('../table.js').Column<Overview['magic_values'][number]>[]} */
const magicColumns = [
  ['Member', ({ member }) => member],
  ['Value', ({ value }) => code(value)],
  ['Effect', ({ effect }) => effect],
];

/** @param {string} path @param {Again} again */
async function letPass(path, again) {
  const done = await act({
    title: 'Let time pass',
    says: ['For everything in this sandbox, or for one account.'],
    fields: [
      { name: 'seconds', label: 'Seconds', kind: 'number', value: 86_400, more: { min: 1, max: 34_560_000 } },
      { name: 'account', label: 'Account', optional: true, more: { placeholder: 'prop_…' } },
    ],
    button: 'Let it pass',
    run: ({ seconds, account }) => call('POST', path, { seconds: Number(seconds), ...(account && { account }) }),
  });
  if (done) await again(`Time has passed: ${done}`);
}

/** @param {Call} control @param {Again} again */
async function send({ method, path, does, members, body }, again) {
  const says = members.map(
    ({ name, optional, description }) => `${name}${optional ? ' (optional)' : ''}: ${description}.`,
  );
  const done = await act({
    title: path,
    says: [does, ...says],
    fields: body
      ? [{ name: 'body', label: 'Body', kind: 'area', value: JSON.stringify(body, null, 2), more: { rows: 8 } }]
      : [],
    button: 'Send it',
    run: (values) => call(method, path, body && JSON.parse(values.body)),
  });
  if (done) await again(`${path}: ${done}`);
}

/** @param {string} name @param {string} path @param {Overview['faults']} faults @param {Again} again */
async function addFault(name, path, faults, again) {
  const done = await act({
    title: `A fault of the ${name}`,
    fields: [
      {
        name: 'kind',
        label: 'Kind',
        kind: 'select',
        options: faults.map(({ kind, effect }) => [kind, `${kind}: ${effect}`]),
      },
      { name: 'route', label: 'Route', hint: 'A part of the method and path; all without it.', optional: true },
      { name: 'times', label: 'Times', kind: 'number', value: 1, more: { min: 1 } },
    ],
    button: 'Add it',
    run: ({ kind, route, times }) => call('POST', path, { kind, ...(route && { route }), times: Number(times) }),
  });
  if (done) await again(`The ${name} has a fault: ${done}`);
}

/** Sends a call to the sandbox, and returns its response as a text. @param {string} method @param {string} path @param {unknown} [body] */
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return text.slice(0, 500);
}
