import { ask } from '../api.js';
import { h } from '../dom.js';
import { badge, code, lasting } from '../format.js';
import { routeTo } from '../route.js';
import { table } from '../table.js';

/** @typedef {import('../api.js').Schemas['QueueHealth']} QueueHealth */

const SILENT_S = 8; // a worker that is silent for so long is dead
const LATE_S = 60; // a job that is due for so long lacks workers

/** How everything stands, with what needs a hand first. Read again by itself. @type {import('../views.js').View} */
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
function cards({ tasks, intents, lanes, deliveries, workers, unserved_payments }) {
  const doubtful = sum(intents.filter(({ state }) => state === 'in_doubt'));
  const failed = sum(deliveries.filter(({ state }) => state === 'failed'));
  const dead = tasks.reduce((all, task) => all + task.dead, 0);
  const oldest = Math.max(0, ...tasks.map(({ oldest_ready_s }) => oldest_ready_s ?? 0));
  const alive = workers.filter(({ seen_s_ago }) => seen_s_ago < SILENT_S).length;
  return [
    card('Unserved payments', unserved_payments, unserved_payments > 0, routeTo('unserved')),
    card('Intents in doubt', doubtful, doubtful > 0, routeTo('intents', { state: 'in_doubt' })),
    card('Stuck lanes', lanes.stuck, lanes.stuck > 0, routeTo('intents', { state: 'queued' })),
    card('Dead jobs', dead, dead > 0, null),
    card('Failed deliveries', failed, failed > 0, routeTo('deliveries')),
    card('Oldest job due', lasting(oldest), oldest > LATE_S, null),
    card('Workers alive', alive, alive === 0, null),
  ];
}

/** @param {{ count: number }[]} counted */
const sum = (counted) => counted.reduce((all, { count }) => all + count, 0);

/** @param {string} label @param {string | number} figure @param {boolean} needsLook @param {string | null} href */
function card(label, figure, needsLook, href) {
  const name = href ? h('a', { href, id: `card-${label.replaceAll(' ', '-')}` }, label) : label;
  const word = h('span', { class: 'word' }, needsLook ? 'needs a look' : 'in order');
  return h('li', { class: needsLook ? 'card wary' : 'card' }, h('strong', {}, figure), h('span', {}, name), word);
}

/** @param {QueueHealth} health */
const tables = ({ tasks, intents, deliveries, workers }) => [
  table(
    'Jobs by task',
    /** @type {import('../table.js').Column<QueueHealth['tasks'][number]>[]} */ ([
      ['Task', ({ task }) => code(task)],
      ['Due', ({ ready }) => ready],
      ['Running', ({ running }) => running],
      ['Planned', ({ planned }) => planned],
      ['Dead', ({ dead }) => dead],
      ['Oldest due', ({ oldest_ready_s }) => lasting(oldest_ready_s)],
    ]),
    tasks,
    'No job waits.',
  ),
  table(
    'Open intents',
    /** @type {import('../table.js').Column<QueueHealth['intents'][number]>[]} */ ([
      ['Kind', ({ kind }) => kind],
      ['State', ({ state }) => badge(state)],
      [
        'Count',
        ({ state, kind, count }) =>
          h('a', { href: routeTo('intents', { state, kind }), id: `open-${state}-${kind}` }, count),
      ],
      ['Oldest', ({ oldest_s }) => lasting(oldest_s)],
    ]),
    intents,
    'No intent is open.',
  ),
  table(
    'Deliveries that have not arrived',
    /** @type {import('../table.js').Column<QueueHealth['deliveries'][number]>[]} */ ([
      ['State', ({ state }) => badge(state)],
      [
        'Count',
        ({ state, count }) => h('a', { href: routeTo('deliveries', { state }), id: `deliveries-${state}` }, count),
      ],
      ['Oldest', ({ oldest_s }) => lasting(oldest_s)],
    ]),
    deliveries,
    'Every delivery has arrived.',
  ),
  table(
    'Workers',
    /** @type {import('../table.js').Column<QueueHealth['workers'][number]>[]} */ ([
      ['Worker', ({ worker_id }) => code(worker_id)],
      ['Seen', ({ seen_s_ago }) => `${lasting(seen_s_ago)} ago`],
      ['Lock', ({ has_lock }) => (has_lock ? 'holds it' : 'lost it')],
    ]),
    workers,
    'No worker has shown itself.',
  ),
];
