import { askWithHeaders } from '../api.js';
import { act, showOnce } from '../dialog.js';
import { h } from '../dom.js';
import { code } from '../format.js';
import { facts, makeButton, table } from '../table.js';
import { ask } from './calls.js';
import { currentCaller } from './session.js';

/** @typedef {import('../views.js').Again} Again */

/** What the caller may do and how much of it is used; an app rolls its secret here. @type {import('../views.js').View} */
export const access = {
  name: 'access',
  group: 'Access',
  title: 'Credentials and quota',
  async render(_, again) {
    const isApp = currentCaller().root === '/v2';
    const { body, headers } = await askWithHeaders(isApp ? '/v2/apps/me' : '/v1/webhook-endpoints');
    const { left, most } = quotaIn(headers);
    const days = await ask('get', '/usage');
    return {
      content: [
        facts([
          ['Caller', currentCaller().name],
          ['Requests left of this minute', `${left} of ${most}`],
          ...(isApp ? ofApp(body) : []),
        ]),
        isApp
          ? makeButton('roll', 'Roll the client secret', () => roll(again))
          : h('p', {}, 'Operators of the service make and revoke partner keys.'),
        table('Requests by day, newest first', columns, days, 'None yet.'),
        h('p', {}, 'Every operation can be tried in ', h('a', { href: '/docs/reference' }, 'the reference'), '.'),
      ],
    };
  },
};

/** @type {import('../table.js').Column<import('../api.js').Schemas['DayOfUse']>[]} */
const columns = [
  ['Day', ({ day }) => day],
  ['Requests', ({ requests }) => requests.toLocaleString('en')],
  ['Failed', ({ failed }) => failed.toLocaleString('en')],
];

/** @param {import('../api.js').Schemas['TenantApp']} app @returns {[string, import('../dom.js').Child | import('../dom.js').Child[]][]} */
const ofApp = ({ app_id, allowed_scopes }) => [
  ['Client id', code(app_id)],
  ['Scopes', allowed_scopes.join(', ')],
];

/** The first quota in the `RateLimit` headers. @param {Headers} headers */
function quotaIn(headers) {
  const [, left = '?'] = /;r=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? [];
  const [, most = '?'] = /;q=(\d+)/.exec(headers.get('RateLimit-Policy') ?? '') ?? [];
  return { left, most };
}

/** @param {Again} again */
async function roll(again) {
  const made = await act({
    title: 'Roll the client secret',
    says: ['The present secret, and the tokens that it obtained, stay valid for the overlap.'],
    fields: [
      { name: 'overlap', label: 'Overlap in seconds', kind: 'number', value: 86_400, more: { min: 0, max: 604_800 } },
    ],
    button: 'Roll it',
    isDanger: true,
    run: ({ overlap }, key) =>
      ask('post', '/apps/me/rotate-secret', { body: { overlap_seconds: Number(overlap) }, key }),
  });
  if (!made) return;
  await showOnce('A new client secret', [['Client secret', made.client_secret]]);
  await again('The secret is rolled.');
}
