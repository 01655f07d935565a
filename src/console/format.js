import { h } from './dom.js';
import { lackFor } from './permissions.js';
import { routeTo } from './route.js';
import { decimals } from './tables.js';

/** @typedef {import('./permissions.js').OperationId} OperationId */

/**
 * A time in UTC, to the second, as in logs.
 * @param {string | null | undefined} at ISO-8601
 */
export const moment = (at) =>
  at ? h('time', { datetime: at }, `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}\u00a0UTC`) : '–';

const STEPS = /** @type {const} */ ([
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]);

/**
 * A duration, in the largest unit that fits.
 * @param {number | null | undefined} seconds
 */
export function lasting(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const [size, unit] = STEPS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/**
 * An amount of money. Its decimals are those of the processor: a browser has none for some currencies that it counts in hundredths.
 * @param {number} cents in the currency's smallest unit
 * @param {string} currency three letters
 */
export function money(cents, currency) {
  const digits = digitsOf(currency);
  const format = { style: /** @type {const} */ ('currency'), currency, minimumFractionDigits: digits };
  return new Intl.NumberFormat('en', { ...format, maximumFractionDigits: digits }).format(cents / 10 ** digits);
}

/** The same without the currency and grouping, as a person types it. @param {number} cents @param {string} currency */
export const plainAmount = (cents, currency) => (cents / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** @param {string} currency */
const digitsOf = (currency) => decimals[currency] ?? 2;

/** An id or a code. @param {string | number | null | undefined} text */
export const code = (text) => (text === null || text === undefined || text === '' ? '–' : h('code', {}, text));

/** An id that leads to what it names, where the operator may read that. @param {string | number | null | undefined} id */
export function idLink(id) {
  if (id === null || id === undefined || id === '') return '–';
  const shown = { class: `${id}`.length > 16 ? 'id long' : 'id', title: id };
  const href = pageOf(`${id}`);
  return href === null ? h('span', shown, h('code', {}, id)) : h('a', { ...shown, href }, h('code', {}, id));
}

const ID = /^(?:[a-z]{2,4}_[\w-]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Whether a text has the form of an id of this service. @param {string} text */
export const isId = (text) => ID.test(text);

/** Views with a page of their own per id, by the prefix of the id, and what reads it. @type {Record<string, [view: string, reads: OperationId]>} */
const PAGES = { usr: ['users', 'getUserRecord'], ptn: ['partners', 'getPartner'] };

/** The page of what an id names; null if the operator may not read it. @param {string} id */
function pageOf(id) {
  const [view, reads] = PAGES[id.split('_')[0] ?? ''] ?? [null, 'searchRecords'];
  if (lackFor(reads) !== null) return null;
  return view ? routeTo(`${view}/${encodeURIComponent(id)}`) : routeTo('search', { q: id });
}

/** @type {Record<string, 'good' | 'bad' | 'wary'>} */
const TONES = {
  active: 'good',
  approved: 'good',
  delivered: 'good',
  done: 'good',
  safe: 'good',
  succeeded: 'good',
  completed: 'good',
  enabled: 'good',
  reachable: 'good',
  ready: 'good',
  'not ready': 'bad',
  gone: 'bad',
  'odd one out': 'bad',
  failing: 'bad',
  'on sale': 'good',
  verified: 'good',
  evaluation: 'good',
  funded: 'good',
  in_doubt: 'wary',
  needs_response: 'wary',
  warning_needs_response: 'wary',
  pending: 'wary',
  provisioning: 'wary',
  unknown: 'wary',
  'not safe': 'bad',
  cancelled: 'bad',
  exceeded: 'wary',
  declined: 'bad',
  disabled: 'bad',
  eliminated: 'bad',
  expired: 'bad',
  failed: 'bad',
  revoked: 'bad',
  subaccount_failed: 'bad',
};

/** A state as a badge: a text, supported by a colour. @param {string} state */
export const badge = (state) => h('span', { class: `badge ${TONES[state] ?? ''}` }, state.replaceAll('_', ' '));

/** A badge for an active or disabled app or partner. @param {boolean} isActive */
export const activity = (isActive) => badge(isActive ? 'active' : 'disabled');
