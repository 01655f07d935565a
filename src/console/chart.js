import { h } from './dom.js';
import Plot from './uplot.js';

/** @typedef {{ label: string, values: (number | null)[] }} Line null where nothing was measured */
/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {number[]} times in seconds since 1970, one for each value
 * @property {Line[]} lines at most MOST_LINES
 * @property {(value: number) => string} format
 */

/** How many lines of a chart are distinguishable. */
export const MOST_LINES = 7;
const HEIGHT_PX = 180;
const AXIS_PX = 64;
/** Dashes, so that lines differ without colours too. @type {number[][]} */
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 2], [1, 5], [16, 4]];

/** A chart of lines over time in UTC. It is drawn while it is on the page, in the page's width and colours. */
class LineChart extends HTMLElement {
  /** @type {(() => void) | undefined} */
  #remove;

  /** @param {Chart} chart */
  show(chart) {
    this.chart = chart;
    return this;
  }

  connectedCallback() {
    if (!this.chart) return;
    const { title, times, lines, format } = this.chart;
    const colour = (/** @type {string} */ name) => getComputedStyle(this).getPropertyValue(name);
    const readings = lines.map(() => h('span', { class: 'reading' }));
    const read = (/** @type {number} */ at) =>
      lines.forEach(({ values }, n) => {
        readings[n]?.replaceChildren(shown(values[at], format));
      });
    const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    const picture = h('div', { role: 'img', 'aria-label': `${title}: ${summary(this.chart)}` });
    const plot = new Plot(
      {
        width: this.clientWidth,
        height: HEIGHT_PX,
        tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'), // places the ticks
        legend: { show: false },
        scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
        series: [{}, ...lines.map((_, n) => ({ stroke: colour(`--line-${n + 1}`), width: 2, dash: DASHES[n] ?? [] }))],
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(hour) },
          { ...axis, size: AXIS_PX, values: (_, ticks) => ticks.map(format) },
        ],
        hooks: { setCursor: [({ cursor: { idx } }) => read(idx ?? times.length - 1)] },
      },
      [times, ...lines.map(({ values }) => values)],
      picture,
    );
    this.replaceChildren(picture, h('ul', { class: 'legend' }, lines.map(entry(readings))));
    read(times.length - 1);
    const resized = new ResizeObserver(() => plot.setSize({ width: this.clientWidth, height: HEIGHT_PX }));
    resized.observe(this);
    this.#remove = () => {
      resized.disconnect();
      plot.destroy();
    };
  }

  disconnectedCallback() {
    this.#remove?.();
  }
}

customElements.define('line-chart', LineChart);

/** Draws lines over time, with a legend that shows the last values, or those under the pointer. @param {Chart} chart */
export const drawChart = (chart) => /** @type {LineChart} */ (document.createElement('line-chart')).show(chart);

/** @param {HTMLElement[]} readings @returns {(line: Line, n: number) => HTMLElement} */
const entry =
  (readings) =>
  ({ label }, n) =>
    h('li', {}, h('span', { class: `stroke stroke-${n + 1}` }), `${label}: `, readings[n]);

/** A value, or a dash where nothing was measured. @param {number | null | undefined} value @param {Chart['format']} format */
export const shown = (value, format) => (value === null || value === undefined ? '–' : format(value));

/** The time of day in UTC. @param {number} seconds since 1970 */
const hour = (seconds) => new Date(seconds * 1_000).toISOString().slice(11, 16);

/** The last values in words. @param {Chart} chart */
const summary = ({ lines, format }) =>
  lines.map(({ label, values }) => `${label} ${shown(values.at(-1), format)}`).join(', ');
