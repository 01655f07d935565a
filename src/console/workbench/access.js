import { askWithHeaders } from '../api.js';
import { act, showOnce } from '../dialog.js';
import { badge, code, moment } from '../format.js';
import { facts, makeButton, pager, table } from '../table.js';
import { ask, askPage } from './calls.js';
import { currentCaller, replaceKey } from './session.js';

/** @typedef {import('../views.js').Again} Again */
/** @typedef {import('../api.js').Schemas} Schemas */

/** The credentials of the caller, and how much of its quota is used. Its key or secret is rolled here. @type {import('../views.js').View} */
export const access = {
  name: 'access',
  group: 'Access',
  title: 'Credentials and quota',
  async render(route, again) {
    const side = currentCaller().root === '/v2' ? ofApp : ofPartner;
    const { body, headers } = await askWithHeaders(side.reads);
    const { left, most } = quotaIn(headers);
    const { items, next } = await askPage(side.list, { query: { cursor: route.query.cursor } });
    const days = await ask('get', '/usage');
    return {
      content: [
        facts([
          ['Caller', currentCaller().name],
          ['Requests left of this minute', `${left} of ${most}`],
          ...side.facts(body),
        ]),
        makeButton('roll', side.button, null, () => roll(side, again)),
        table(side.caption, side.columns, items, 'None.'),
        pager(route, next),
        table('Requests by day, newest first', usage, days, 'None yet.'),
      ],
    };
  },
};

/** @type {import('../table.js').Column<Schemas['PartnerKey']>[]} */
const keys = [
  ['Key', ({ hint, label }) => [code(`${hint}…`), label ? ` ${label}` : null]],
  ['State', (key) => badge(key.revoked_at ? 'revoked' : stateOf(key.expires_at))],
  ['Last used', ({ last_used_at }) => moment(last_used_at)],
  ['Created', ({ created_at }) => moment(created_at)],
  ['Ends', ({ expires_at, revoked_at }) => moment(revoked_at ?? expires_at)],
];

/** @type {import('../table.js').Column<Schemas['ClientSecret']>[]} */
const secrets = [
  ['Secret', ({ hint }) => code(`${hint}…`)],
  ['State', ({ expires_at }) => badge(stateOf(expires_at))],
  ['Last used', ({ last_used_at }) => moment(last_used_at)],
  ['Created', ({ created_at }) => moment(created_at)],
  ['Ends', ({ expires_at }) => moment(expires_at)],
];

/** @param {string | null} end */
const stateOf = (end) => (end === null ? 'active' : Date.parse(end) > Date.now() ? 'rolled' : 'expired');

/** What a partner and an app have in a way of their own. */
const ofPartner = {
  reads: '/v1/webhook-endpoints',
  list: '/keys',
  caption: 'Keys, oldest first',
  columns: /** @type {import('../table.js').Column<any>[]} */ (keys),
  facts: () => [],
  button: 'Roll this key',
  says: 'The present key, with which you opened this page, stays valid for the overlap. This page uses the new one.',
  path: '/keys/roll',
  /** @param {Schemas['RolledKey']} made @returns {[string, string]} */
  shown: ({ key }) => {
    replaceKey(key);
    return ['Key', key];
  },
};
const ofApp = {
  reads: '/v2/apps/me',
  list: '/apps/me/secrets',
  caption: 'Client secrets, oldest first',
  columns: /** @type {import('../table.js').Column<any>[]} */ (secrets),
  /** @param {Schemas['TenantApp']} app @returns {[string, import('../dom.js').Child][]} */
  facts: ({ app_id, allowed_scopes }) => [
    ['Client id', code(app_id)],
    ['Scopes', allowed_scopes.join(', ')],
  ],
  button: 'Roll the client secret',
  says: 'The present secret, and the tokens that it obtained, stay valid for the overlap.',
  path: '/apps/me/rotate-secret',
  /** @param {Schemas['RotateSecretResponse']} made @returns {[string, string]} */
  shown: ({ client_secret }) => ['Client secret', client_secret],
};

/** @type {import('../table.js').Column<Schemas['DayOfUse']>[]} */
const usage = [
  ['Day', ({ day }) => day],
  ['Requests', ({ requests }) => requests.toLocaleString('en')],
  ['Failed', ({ failed }) => failed.toLocaleString('en')],
];

/** The first quota in the `RateLimit` headers. @param {Headers} headers */
function quotaIn(headers) {
  const [, left = '?'] = /;r=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? [];
  const [, most = '?'] = /;q=(\d+)/.exec(headers.get('RateLimit-Policy') ?? '') ?? [];
  return { left, most };
}

/** @param {typeof ofPartner | typeof ofApp} side @param {Again} again */
async function roll(side, again) {
  const made = await act({
    title: side.button,
    says: [side.says],
    fields: [
      { name: 'overlap', label: 'Overlap in seconds', kind: 'number', value: 86_400, more: { min: 0, max: 604_800 } },
    ],
    button: 'Roll it',
    isDanger: true,
    run: ({ overlap }, key) => ask('post', side.path, { body: { overlap_seconds: Number(overlap) }, key }),
  });
  if (!made) return;
  const secret = side.shown(made);
  await showOnce(`A new ${secret[0].toLowerCase()}`, [secret]);
  await again(`The ${secret[0].toLowerCase()} is rolled.`);
}
