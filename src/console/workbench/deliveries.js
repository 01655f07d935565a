import { act } from '../dialog.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, code, moment } from '../format.js';
import { routeTo } from '../route.js';
import { facts, pager, rowButton, table } from '../table.js';
import { ask, askPage } from './calls.js';
import { opened } from './events.js';

/** @typedef {import('../api.js').Schemas['WebhookDelivery']} Delivery */
/** @typedef {import('../api.js').Schemas['WebhookDeliveryDetail']} Detail */
/** @typedef {import('../views.js').Again} Again */
/** @typedef {import('../route.js').Route} Route */

/** Deliveries to one endpoint, and one delivery with its body and attempts. @type {import('../views.js').View} */
export const deliveries = {
  name: 'deliveries',
  group: 'Webhooks',
  title: 'Deliveries',
  titleOfOne: 'Delivery',
  render: (route, again) => (route.id === '' ? renderAll(route, again) : renderOne(route.id, again)),
};

/** @param {Route} route @param {Again} again */
async function renderAll(route, again) {
  const { items: endpoints } = await askPage('/webhook-endpoints', { query: { limit: 100 } });
  const [first] = endpoints;
  if (!first) return { content: [h('p', {}, 'No endpoint is registered.')] };
  const { endpoint = first.id, status, type, cursor } = route.query;
  const { items, next } = await askPage('/webhook-endpoints/{endpoint_id}/deliveries', {
    path: { endpoint_id: endpoint },
    query: { status, type, cursor },
  });
  const options = endpoints.map(({ id, url }) => /** @type {[string, string]} */ ([id, `${url} (${id})`]));
  const choice = filter(route, [
    { name: 'endpoint', label: 'Endpoint', kind: 'select', value: first.id, options },
    { name: 'status', label: 'State', kind: 'select', options: STATES },
    { name: 'type', label: 'Event', more: { maxlength: 200, placeholder: 'order.updated' } },
  ]);
  return {
    content: [
      choice,
      table('Deliveries, newest first', columns(again), items, 'Nothing was sent there.'),
      pager(route, next),
    ],
  };
}

/** @type {(string | [string, string])[]} */
const STATES = [['', 'any'], 'pending', 'delivered', 'failed', 'cancelled'];

/** @param {Again} again @returns {import('../table.js').Column<Delivery>[]} */
const columns = (again) => [
  ['Delivery', ({ id }) => h('a', { href: routeTo(`deliveries/${id}`) }, h('code', {}, id))],
  ['Event', ({ event_type }) => event_type],
  ['State', ({ status, attempts }) => [badge(status), ` after ${attempts} attempts`]],
  ['Last response', ({ response_status, error }) => error ?? response_status ?? '–'],
  ['Created', ({ created_at }) => moment(created_at)],
  ['Actions', (delivery) => replayButton(delivery, again)],
];

/** @param {string} id @param {Again} again */
async function renderOne(id, again) {
  /** @type {Detail} */
  const delivery = await ask('get', '/webhook-deliveries/{delivery_id}', { path: { delivery_id: id } });
  return {
    content: [
      h('p', {}, h('a', { href: routeTo('deliveries', { endpoint: delivery.endpoint_id }) }, 'All deliveries')),
      facts([
        ['State', badge(delivery.status)],
        ['Event', [delivery.event_type, ' ', code(delivery.event_id)]],
        ['Next attempt', moment(delivery.next_attempt_at)],
        ['Ended', moment(delivery.completed_at)],
      ]),
      h('p', {}, replayButton(delivery, again)),
      table('Attempts, oldest first', attempts, delivery.attempt_log, 'None yet.'),
      h('h2', {}, 'Body'),
      h('pre', { tabindex: 0 }, JSON.stringify(delivery.event, null, 2)),
    ],
  };
}

/** @type {import('../table.js').Column<Detail['attempt_log'][number]>[]} */
const attempts = [
  ['Attempt', ({ n }) => n],
  ['At', ({ started_at }) => moment(started_at)],
  ['Took', ({ duration_ms }) => `${duration_ms} ms`],
  ['Response', ({ response_status, error }) => error ?? response_status ?? '–'],
  ['Text', (attempt) => opened(`Text of attempt ${attempt.n}`, attempt.response)],
];

/** @param {{ id: string, event_type: string }} delivery @param {Again} again */
const replayButton = (delivery, again) => rowButton('Replay', delivery.id, null, () => replay(delivery, again));

/** @param {{ id: string, event_type: string }} delivery @param {Again} again */
async function replay({ id, event_type }, again) {
  const done = await act({
    title: 'Send a delivery again',
    says: [`Sends ${event_type} with the same id and the same bytes. The retry plan starts again.`],
    button: 'Send it again',
    run: (_, key) => ask('post', '/webhook-deliveries/{delivery_id}/redeliver', { path: { delivery_id: id }, key }),
  });
  if (done) await again(`${id} is ${done.status}.`);
}
