import { ask, askPage } from '../api.js';
import { act, showOnce } from '../dialog.js';
import { h } from '../dom.js';
import { changesOf, stolen } from '../fields.js';
import { activity, code, idLink, moment } from '../format.js';
import { makeButton, pager, rowButton, table } from '../table.js';
import { networkFields, networkKeyField, scopesField } from './app-fields.js';

/** @typedef {import('../api.js').Schemas['AppSummary']} AppSummary */
/** @typedef {import('../permissions.js').OperationId} OperationId */
/** @typedef {import('../views.js').Again} Again */

/** Tenant apps: register, change, disable, enable, rotate the secret. @type {import('../views.js').View} */
export const apps = {
  name: 'apps',
  group: 'Access',
  title: 'Apps',
  async render(route, again) {
    const query = { cursor: route.query.cursor };
    const { items, next } = await askPage('/v2/admin/apps', { query });
    const make = makeButton('register-app', 'Register an app', 'createTenantApp', () => register(again));
    return { content: [make, table('Tenant apps', columns(again), items, 'No app yet.'), pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<AppSummary>[]} */
const columns = (again) => [
  ['App', ({ name, slug, app_id }) => [name, ' ', code(slug), h('small', {}, idLink(app_id))]],
  ['State', ({ active }) => activity(active)],
  ['Scopes', ({ allowed_scopes }) => allowed_scopes.join(', ')],
  [
    'Miner',
    ({ has_network_key, entity_hotkey }) => [
      has_network_key ? 'the app’s ' : 'the platform’s',
      entity_hotkey && code(entity_hotkey),
    ],
  ],
  ['Created', ({ created_at }) => moment(created_at)],
  ['Actions', (app) => buttons(app, again)],
];

/** @param {AppSummary} app @param {Again} again */
function buttons(app, again) {
  const button = (
    /** @type {string} */ label,
    /** @type {OperationId} */ operation,
    /** @type {(app: AppSummary) => Promise<unknown>} */ action,
  ) =>
    rowButton(label, app.slug, operation, async () => {
      if (await action(app)) await again(`${label}: ${app.name}. Done.`);
    });
  return [
    button('Settings', 'updateTenantApp', change),
    app.active ? button('Disable', 'disableTenantApp', disable) : button('Enable', 'enableTenantApp', enable),
    button('Rotate secret', 'rotateTenantAppSecret', rotate),
  ];
}

/** @param {Again} again */
async function register(again) {
  const made = await act({
    title: 'Register an app',
    fields: [
      { name: 'name', label: 'Name', more: { maxlength: 255 } },
      {
        name: 'slug',
        label: 'Slug',
        hint: 'Lower case, digits, hyphens.',
        more: { maxlength: 64, pattern: '[a-z0-9][a-z0-9\\-]*' },
      },
      ...networkFields(true),
      scopesField('scopes', ['api']),
    ],
    button: 'Register',
    run: (body, key) => ask('post', '/v2/admin/apps', { body, key }),
  });
  if (!made) return;
  await showOnce(`Credentials of ${made.name}`, [
    ['Client id', made.client_id],
    ['Client secret', made.client_secret],
  ]);
  await again(`${made.name} is registered.`);
}

/** @param {AppSummary} app */
function change(app) {
  const { app_id, name, connect_return_url, connect_refresh_url, verification_level, allowed_scopes } = app;
  return act({
    title: `Settings of ${name}`,
    fields: [
      { name: 'name', label: 'Name', value: name, more: { maxlength: 255 } },
      {
        name: 'connect_return_url',
        label: 'Connect return address',
        kind: 'url',
        value: connect_return_url,
        optional: true,
      },
      {
        name: 'connect_refresh_url',
        label: 'Connect refresh address',
        kind: 'url',
        value: connect_refresh_url,
        optional: true,
      },
      {
        name: 'verification_level',
        label: 'Identity verification',
        kind: 'select',
        options: ['none', 'basic', 'full'],
        value: verification_level,
      },
      scopesField('allowed_scopes', allowed_scopes),
      ...(app.has_network_key ? [networkKeyField('New API key of its miner')] : []),
    ],
    button: 'Save',
    run: (values, key) => {
      const body = changesOf({ connect_return_url: null, connect_refresh_url: null, ...values }, app);
      return ask('patch', '/v2/admin/apps/{app_id}', { path: { app_id }, body, key });
    },
  });
}

/** @param {AppSummary} app */
const disable = ({ app_id, name }) =>
  act({
    title: `Disable ${name}`,
    says: ['Its tokens become invalid at once. They stay invalid after the app is enabled again.'],
    button: 'Disable',
    isDanger: true,
    run: (_, key) => ask('post', '/v2/admin/apps/{app_id}/disable', { path: { app_id }, key }),
  });

/** @param {AppSummary} app */
const enable = ({ app_id, name }) =>
  act({
    title: `Enable ${name}`,
    says: ['It can request tokens again with its present credentials.'],
    button: 'Enable',
    run: (_, key) => ask('post', '/v2/admin/apps/{app_id}/enable', { path: { app_id }, key }),
  });

/** @param {AppSummary} app */
async function rotate({ app_id, name }) {
  const made = await act({
    title: `Rotate the secret of ${name}`,
    says: ['The previous secret stays valid for the time given here.'],
    fields: [
      {
        name: 'overlap_seconds',
        label: 'Overlap in seconds',
        kind: 'number',
        value: 86_400,
        more: { min: 0, max: 604_800, step: 1 },
      },
      { ...stolen, hint: `${stolen.hint} The previous secret ends at once.` },
    ],
    button: 'Rotate',
    isDanger: true,
    run: ({ overlap_seconds, stolen: why }, key) => {
      const body = { overlap_seconds: Number(overlap_seconds) };
      const query = { stolen: `${why}` };
      return ask('post', '/v2/admin/apps/{app_id}/rotate-secret', { path: { app_id }, query, body, key });
    },
  });
  if (made) await showOnce(`New secret of ${name}`, [['Client secret', made.client_secret]]);
  return made;
}
