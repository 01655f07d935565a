import { ask } from '../api.js';
import { h } from '../dom.js';
import { badge, code, lasting } from '../format.js';
import { routeTo } from '../route.js';
import { table } from '../table.js';

/** @typedef {import('../api.js').Schemas['QueueHealth']} QueueHealth */

const SILENT_S = 8; // a worker without a heartbeat for this time is dead
const UNDELIVERED_S = 600; // a delivery that waits for this time has an unreachable receiver
const LATE_S = 60; // a job that is due for this time lacks workers

/** The state of the service, what needs attention first. Refreshes automatically. @type {import('../views.js').View} */
export const overview = {
  name: '',
  group: 'Running',
  title: 'Overview',
  async render() {
    const health = await ask('get', '/v2/admin/queue');
    return {
      content: [h('ul', { class: 'cards' }, ...cards(health)), h('div', { class: 'tables' }, ...tables(health))],
      isLive: true,
    };
  },
};

/** @param {QueueHealth} health */
function cards({ tasks, intents, waits, lanes, deliveries, workers, ...money }) {
  const {
    unfulfilled_payments,
    failed_accounts,
    stranded_payouts,
    undecided_intents,
    unrecorded_registrations,
    lost_orders,
  } = money;
  const waiting = deliveries.find(({ state }) => state === 'pending')?.oldest_s ?? 0;
  const inDoubt = sum(intents.filter(({ state }) => state === 'in_doubt'));
  const doubted = sum(waits.filter(({ reason }) => reason === 'doubts'));
  const failed = sum(deliveries.filter(({ state }) => state === 'failed'));
  const dead = tasks.reduce((all, task) => all + task.dead, 0);
  const oldest = Math.max(0, ...tasks.map(({ oldest_ready_s }) => oldest_ready_s ?? 0));
  const alive = workers.filter(({ seen_s_ago }) => seen_s_ago < SILENT_S).length;
  return [
    card('Unfulfilled payments', unfulfilled_payments, unfulfilled_payments > 0, routeTo('unfulfilled')),
    card('Failed accounts', failed_accounts, failed_accounts > 0, routeTo('accounts')),
    card('Stranded payouts', stranded_payouts, stranded_payouts > 0, routeTo('stranded')),
    card('Ended without proof', undecided_intents, undecided_intents > 0, routeTo('intents', { state: 'undecided' })),
    card('Paid registrations without a record', unrecorded_registrations, unrecorded_registrations > 0, null),
    card('Orders that the database has lost', lost_orders, lost_orders > 0, null),
    card('Intents in doubt', inDoubt, inDoubt > 0, routeTo('intents', { state: 'in_doubt' })),
    card('Wait for what doubts hold', doubted, doubted > 0, routeTo('intents', { state: 'in_doubt' })),
    card('Stuck lanes', lanes.stuck, lanes.stuck > 0, routeTo('intents', { state: 'queued' })),
    card('Dead jobs', dead, dead > 0, routeTo('jobs')),
    card('Failed deliveries', failed, failed > 0, routeTo('deliveries')),
    card(
      'Oldest undelivered webhook',
      lasting(waiting),
      waiting > UNDELIVERED_S,
      routeTo('deliveries', { state: 'pending' }),
    ),
    card('Oldest job due', lasting(oldest), oldest > LATE_S, null),
    card('Workers alive', alive, alive === 0, null),
  ];
}

/** @param {{ count: number }[]} counted */
const sum = (counted) => counted.reduce((all, { count }) => all + count, 0);

/** @param {string} label @param {string | number} figure @param {boolean} needsAttention @param {string | null} href */
function card(label, figure, needsAttention, href) {
  const name = href ? h('a', { href, id: `card-${label.replaceAll(' ', '-')}` }, label) : label;
  const word = h('span', { class: 'word' }, needsAttention ? 'needs attention' : 'OK');
  return h('li', { class: needsAttention ? 'card wary' : 'card' }, h('strong', {}, figure), h('span', {}, name), word);
}

/** @param {string} id @param {number} count @param {string} view @param {Record<string, string>} query */
const countLink = (id, count, view, query) => h('a', { href: routeTo(view, query), id }, count);

/** @param {QueueHealth} health */
const tables = ({ tasks, intents, waits, deliveries, workers }) => [
  table('Jobs by task', taskColumns, tasks, 'No job waits.'),
  table('Open intents', intentColumns, intents, 'No intent is open.'),
  table('What open intents wait for', waitColumns, waits, 'No intent is open.'),
  table('Deliveries that have not arrived', deliveryColumns, deliveries, 'Every delivery has arrived.'),
  table('Workers', workerColumns, workers, 'No worker has shown itself.'),
];

/** @type {import('../table.js').Column<QueueHealth['tasks'][number]>[]} */
const taskColumns = [
  ['Task', ({ task }) => code(task)],
  ['Due', ({ ready }) => ready],
  ['Running', ({ running }) => running],
  ['Planned', ({ planned }) => planned],
  ['Dead', ({ dead }) => dead],
  ['Oldest due', ({ oldest_ready_s }) => lasting(oldest_ready_s)],
];

/** @type {import('../table.js').Column<QueueHealth['intents'][number]>[]} */
const intentColumns = [
  ['Kind', ({ kind }) => kind],
  ['State', ({ state }) => badge(state)],
  ['Count', ({ state, kind, count }) => countLink(`open-${state}-${kind}`, count, 'intents', { state, kind })],
  ['Oldest', ({ oldest_s }) => lasting(oldest_s)],
];

/** @type {import('../table.js').Column<QueueHealth['waits'][number]>[]} */
const waitColumns = [
  ['For', ({ reason }) => badge(reason)],
  ['Which', ({ is_exit }) => (is_exit ? 'exits' : 'others')],
  ['Count', ({ count }) => count],
  ['Oldest', ({ oldest_s }) => lasting(oldest_s)],
];

/** @type {import('../table.js').Column<QueueHealth['deliveries'][number]>[]} */
const deliveryColumns = [
  ['State', ({ state }) => badge(state)],
  ['Count', ({ state, count }) => countLink(`deliveries-${state}`, count, 'deliveries', { state })],
  ['Oldest', ({ oldest_s }) => lasting(oldest_s)],
];

/** @type {import('../table.js').Column<QueueHealth['workers'][number]>[]} */
const workerColumns = [
  ['Worker', ({ worker_id }) => code(worker_id)],
  ['Seen', ({ seen_s_ago }) => `${lasting(seen_s_ago)} ago`],
  ['Lock', ({ has_lock }) => (has_lock ? 'holds it' : 'lost it')],
];
