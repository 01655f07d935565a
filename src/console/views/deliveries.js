import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { filter } from '../filter.js';
import { badge, idLink, moment } from '../format.js';
import { pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['TroubledDelivery']} TroubledDelivery */
/** @typedef {import('../views.js').Again} Again */

/** Webhook deliveries by state, owner, type and time. @type {import('../views.js').View} */
export const deliveries = {
  name: 'deliveries',
  group: 'Running',
  title: 'Deliveries',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/deliveries', { query: route.query });
    const shown = table('Webhook deliveries, newest first', columns(again), items, 'No delivery in this state.');
    return { content: [filter(route, fields), shown, pager(route, next)] };
  },
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'state',
    label: 'State',
    kind: 'select',
    value: 'failed',
    options: ['failed', 'cancelled', 'pending', 'sending', 'delivered'],
  },
  { name: 'app_id', label: 'App or partner', more: { maxlength: 64, placeholder: 'app_…' } },
  {
    name: 'event_type',
    label: 'Type of event',
    hint: 'Of one app or partner.',
    more: { maxlength: 64, placeholder: 'order.updated' },
  },
  { name: 'from', label: 'Since', more: { maxlength: 40, placeholder: '2026-01-31T00:00:00Z' } },
  { name: 'to', label: 'Before', more: { maxlength: 40, placeholder: '2026-02-01T00:00:00Z' } },
];

/** @param {Again} again @returns {import('../table.js').Column<TroubledDelivery>[]} */
const columns = (again) => [
  ['Delivery', ({ delivery_id }) => idLink(delivery_id)],
  ['Event', ({ event_type, event_id }) => [event_type, ' ', idLink(event_id)]],
  ['To', ({ app_id, url }) => [idLink(app_id), h('small', {}, url)]],
  ['State', ({ state, attempts }) => [badge(state), ` after ${attempts} attempts`]],
  ['Last response', ({ response_status, error }) => error ?? response_status ?? '–'],
  ['Due or ended', ({ due_at, ended_at }) => moment(ended_at ?? due_at)],
  ['Actions', (delivery) => rowButton('Retry', delivery.delivery_id, 'retryDelivery', () => retry(delivery, again))],
];

/** @param {TroubledDelivery} delivery @param {Again} again */
async function retry({ delivery_id, event_type, url }, again) {
  const done = await act({
    title: 'Send a delivery once more',
    says: [`Sends ${event_type} to ${url} with the same id and the same bytes. The retry plan starts again.`],
    fields: [reason],
    button: 'Send it once more',
    run: (body, key) => ask('post', '/v2/admin/deliveries/{delivery_id}/retry', { path: { delivery_id }, body, key }),
  });
  if (done) await again(`${delivery_id} is ${done.state}.`);
}
