import { act } from '../dialog.js';
import { h } from '../dom.js';
import { badge, code, moment } from '../format.js';
import { routeTo } from '../route.js';
import { pager, rowButton, table } from '../table.js';
import { ask, askPage } from './calls.js';

/** @typedef {import('../api.js').Schemas['WebhookEndpoint']} Endpoint */
/** @typedef {import('../views.js').Again} Again */

/** Webhook endpoints of the caller. @type {import('../views.js').View} */
export const endpoints = {
  name: 'endpoints',
  group: 'Webhooks',
  title: 'Endpoints',
  async render(route, again) {
    const { items, next } = await askPage('/webhook-endpoints', { query: { cursor: route.query.cursor } });
    const shown = table('Webhook endpoints, newest first', columns(again), items, 'No endpoint is registered.');
    return { content: [shown, pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<Endpoint>[]} */
const columns = (again) => [
  ['Endpoint', ({ id }) => h('a', { href: routeTo('deliveries', { endpoint: id }) }, h('code', {}, id))],
  ['Address', ({ url }) => code(url)],
  ['Events', ({ events }) => events.join(', ')],
  [
    'State',
    ({ active, deactivated_because }) => [
      badge(active ? 'active' : 'disabled'),
      deactivated_because && h('small', {}, deactivated_because),
    ],
  ],
  ['Failing since', ({ failing_since }) => moment(failing_since)],
  [
    'Actions',
    (endpoint) => (endpoint.active ? rowButton('Test', endpoint.id, null, () => test(endpoint, again)) : '–'),
  ],
];

/** @param {Endpoint} endpoint @param {Again} again */
async function test({ id, url }, again) {
  const done = await act({
    title: 'Send a test event',
    says: [`Sends webhook.test to ${url}.`],
    button: 'Send it',
    run: (_, key) => ask('post', '/webhook-endpoints/{endpoint_id}/test', { path: { endpoint_id: id }, key }),
  });
  if (done) await again(`The test is delivery ${done.id}.`);
}
