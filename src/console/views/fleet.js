import { ask } from '../api.js';
import { h } from '../dom.js';
import { badge, code, moment } from '../format.js';
import { table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Fleet']} Fleet */
/** @typedef {import('../api.js').Schemas['FleetProcess']} FleetProcess */

/** Every process, and the one that differs. @type {import('../views.js').View} */
export const fleet = {
  name: 'fleet',
  group: 'Running',
  title: 'Fleet',
  async render() {
    const { processes, differences } = await ask('get', '/v2/admin/fleet');
    return {
      content: [
        h('p', {}, SCOPE),
        table('Processes', columns, processes, 'No process has described itself.'),
        table('Differences', differenceColumns, differences, 'Running processes have the same version and settings.'),
      ],
      isLive: true,
    };
  },
};

const SCOPE =
  'Each process describes itself every 5 seconds. Values of settings are shown by a fingerprint, which does not reveal them.';

/** @param {FleetProcess} process */
function stateOf({ is_running, failing_checks }) {
  if (!is_running) return badge('gone');
  return failing_checks.length === 0 ? badge('ready') : [badge('not ready'), h('small', {}, failing_checks.join(', '))];
}

/** @param {FleetProcess} process */
const failingOf = ({ calls }) =>
  calls.filter(({ is_reachable }) => !is_reachable).map(({ upstream, call, error }) => `${upstream} ${call}: ${error}`);

/** @type {import('../table.js').Column<FleetProcess>[]} */
const columns = [
  ['Process', ({ kind, instance }) => [kind, h('small', {}, code(instance))]],
  ['State', (process) => stateOf(process)],
  ['Version', ({ version, started_at }) => [version, h('small', {}, 'since ', moment(started_at))]],
  ['Seen', ({ seen_at }) => moment(seen_at)],
  ['Rejects its credentials', ({ paused }) => code(paused.join(', '))],
  ['Calls without a response', (process) => failingOf(process).map((text) => h('div', {}, code(text)))],
  ['Clock', ({ clock_ahead_s }) => (clock_ahead_s === null ? '–' : `${clock_ahead_s.toFixed(1)} s`)],
  ['Keys', ({ sealing_keys, agreement_keys }) => code([...sealing_keys, ...agreement_keys].join(' '))],
];

/** @type {import('../table.js').Column<Fleet['differences'][number]>[]} */
const differenceColumns = [
  ['Setting', ({ name }) => code(name)],
  ['Value', ({ value, is_odd }) => [code(value), is_odd ? badge('odd one out') : null]],
  ['Processes', ({ processes }) => processes.map((process) => h('div', {}, code(process)))],
];
