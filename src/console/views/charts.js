import { ask } from '../api.js';
import { drawChart, MOST_LINES, shown } from '../chart.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Figures']} Figures */
/** @typedef {Figures['series'][number]} Series */
/** @typedef {import('../chart.js').Line} Line */
/** @typedef {{ title: string, figures: Partial<Record<Series['figure'], string>>, format: (value: number) => string }} Shown `figures`: what a label is followed by */

/** What the service did in the last hour or day, as charts or as tables. @type {import('../views.js').View} */
export const charts = {
  name: 'charts',
  group: 'Running',
  title: 'Charts',
  async render(route) {
    const isDay = route.query.window === 'day';
    const isTable = route.query.as === 'tables';
    const { starts_at, step_seconds, series } = await ask('get', '/v2/admin/figures', {
      query: { window: isDay ? 'day' : 'hour' },
    });
    const first = Date.parse(starts_at) / 1_000;
    const times = (series[0]?.values ?? []).map((_, n) => first + n * step_seconds);
    const show = isTable ? listValues : draw;
    return {
      content: [
        h(
          'p',
          { class: 'pager' },
          choice('Last hour', route.with({ window: '' }), !isDay),
          choice('Last day', route.with({ window: 'day' }), isDay),
          choice('Charts', route.with({ as: '' }), !isTable),
          choice('Tables', route.with({ as: 'tables' }), isTable),
        ),
        h('p', {}, SCOPE),
        h('div', { class: isTable ? '' : 'tables' }, ...CHARTS.map((each) => show(each, times, linesOf(each, series)))),
      ],
      isLive: true,
    };
  },
};

const SCOPE = 'In UTC. A worker brings the figures up to date every minute; where there is no line, none did.';

/** @param {string} label @param {string} href @param {boolean} isCurrent */
const choice = (label, href, isCurrent) =>
  h('a', { href, id: label.replace(' ', '-').toLowerCase(), 'aria-current': isCurrent ? 'true' : null }, label);

/** @param {number} value */
const number = (value) => String(Math.round(value * 100) / 100);

/** @param {number} value in seconds */
const duration = (value) => (value < 1 ? `${Math.round(value * 1_000)} ms` : `${Math.round(value * 10) / 10} s`);

/** @param {number} value from 0 to 1 */
const percent = (value) => `${Math.round(value * 100)} %`;

/** @type {Shown[]} */
const CHARTS = [
  { title: 'Order verbs that ended, per second', figures: { orders_per_second: '' }, format: number },
  {
    title: 'Time from the acceptance of an order verb to its end',
    figures: { settle_p50_seconds: ', half within', settle_p99_seconds: ', 99 % within' },
    format: duration,
  },
  { title: 'Intents in doubt', figures: { intents_in_doubt: '' }, format: number },
  { title: 'Wait of the oldest due job', figures: { oldest_job_seconds: '' }, format: duration },
  { title: 'Webhook deliveries that have not arrived', figures: { deliveries: '' }, format: number },
  { title: 'Intents that ended without success, by code', figures: { failed_intents: '' }, format: number },
  { title: 'Used budget', figures: { budget_used_ratio: '' }, format: percent },
];

/** The lines of a chart, as many as are distinguishable; the smallest are summed up. @param {Shown} of @param {Series[]} series @returns {Line[]} */
function linesOf({ figures }, series) {
  const lines = series
    .filter(({ figure }) => figure in figures)
    .map(({ figure, label, values }) => ({ label: `${NAMES[label] ?? label}${figures[figure]}`, values }));
  if (lines.length <= MOST_LINES) return lines;
  const bySum = lines.toSorted((a, b) => sum(b.values) - sum(a.values));
  const rest = bySum.slice(MOST_LINES - 1);
  const values = (rest[0]?.values ?? []).map((_, n) => sumOrNull(rest.map((line) => line.values[n] ?? null)));
  return [...bySum.slice(0, MOST_LINES - 1), { label: `${rest.length} others`, values }];
}

/** @type {Record<string, string>} */
const NAMES = { netvenue: 'Network', exvenue: 'Exchange', registrar: 'Registrar', processor: 'Payment processor' };

/** @param {(number | null)[]} values */
const sum = (values) => values.reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0);

/** @param {(number | null)[]} values */
const sumOrNull = (values) => (values.every((value) => value === null) ? null : sum(values));

/** @param {Shown} of @param {number[]} times @param {Line[]} lines */
const draw = ({ title, format }, times, lines) =>
  h(
    'section',
    {},
    h('h2', {}, title),
    lines.length === 0 ? h('p', {}, NOTHING) : drawChart({ title, times, lines, format }),
  );

/** @param {Shown} of @param {number[]} times @param {Line[]} lines */
const listValues = ({ title, format }, times, lines) =>
  table(
    title,
    [
      ['Start', (at) => moment(new Date(at * 1_000).toISOString())],
      ...lines.map(({ label, values }) => {
        const cell = (/** @type {number} */ at) => shown(values[times.indexOf(at)], format);
        return /** @type {import('../table.js').Column<number>} */ ([label, cell]);
      }),
    ],
    lines.length === 0 ? [] : times.toReversed(),
    NOTHING,
  );

const NOTHING = 'Nothing was measured.';
