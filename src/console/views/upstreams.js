import { ask } from '../api.js';
import { h } from '../dom.js';
import { badge, code, moment } from '../format.js';
import { routeTo } from '../route.js';
import { facts, table } from '../table.js';
import { pausesOf } from './pauses.js';

/** @typedef {import('../api.js').Schemas['UpstreamState']} UpstreamState */

/** @type {Record<UpstreamState['upstream'], string>} */
const NAMES = {
  netvenue: 'Network',
  exvenue: 'Exchange',
  registrar: 'Registrar',
  processor: 'Payment processor',
  mail: 'Mail server',
};

/** The venues and other upstreams: what waits for them, and whether they respond. @type {import('../views.js').View} */
export const upstreams = {
  name: 'upstreams',
  group: 'Running',
  title: 'Venues and upstreams',
  async render(_, again) {
    const { upstreams: all } = await ask('get', '/v2/admin/upstreams');
    const { pauses } = await ask('get', '/v2/admin/pauses');
    return { content: [pausesOf(pauses, again), h('p', {}, SCOPE), ...all.map(stateOf)], isLive: true };
  },
};

const SCOPE = 'Writes and calls are those of all processes: of each, the last call of every kind.';

/** @param {UpstreamState} state */
const stateOf = (state) =>
  h(
    'section',
    { 'aria-labelledby': state.upstream },
    h('h2', { id: state.upstream }, NAMES[state.upstream]),
    facts([
      ['Calls', badge(reachOf(state))],
      ['Last response', moment(respondedAt(state))],
      ['Last write that succeeded', moment(state.succeeded_at)],
      ['Writes to be sent', state.waiting],
      ['Writes in doubt', inDoubtText(state)],
      ...(state.budget_used === null
        ? []
        : [/** @type {[string, any]} */ (['Budget used', percent(state.budget_used)])]),
    ]),
    state.calls.length > 0 ? table(`Calls to: ${NAMES[state.upstream]}`, columns, state.calls, '') : null,
  );

/** @param {UpstreamState} state */
function reachOf({ calls }) {
  if (calls.length === 0) return 'not called yet';
  return calls.every(({ is_reachable }) => is_reachable) ? 'reachable' : 'failing';
}

/** When any process had a response last. @param {UpstreamState} state */
const respondedAt = ({ calls }) =>
  calls.reduce((latest, { succeeded_at: at }) => (at !== null && at > latest ? at : latest), '');

/** @param {UpstreamState} state */
const inDoubtText = ({ in_doubt, in_doubt_because }) =>
  in_doubt === 0
    ? '0'
    : [
        h('a', { href: routeTo('intents', { state: 'in_doubt' }) }, in_doubt),
        in_doubt_because && [': ', code(in_doubt_because)],
      ].flat();

/** @param {number} part */
const percent = (part) => `${Math.round(part * 100)} %`;

/** @type {import('../table.js').Column<UpstreamState['calls'][number]>[]} */
const columns = [
  ['Call', ({ call, process }) => [code(call), h('small', {}, process)]],
  ['State', ({ is_reachable }) => badge(is_reachable ? 'reachable' : 'failing')],
  ['Since', ({ since }) => moment(since)],
  ['Last call', ({ called_at }) => moment(called_at)],
  ['Error', ({ error }) => code(error)],
];
