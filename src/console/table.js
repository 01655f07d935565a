import { h } from './dom.js';
import { lackFor } from './permissions.js';

/** @typedef {import('./dom.js').Child} Child */
/** @typedef {import('./permissions.js').OperationId} OperationId */
/**
 * @template T
 * @typedef {[label: string, cell: (row: T) => Child | Child[]]} Column
 */

/**
 * A table with a caption. The first column is the row's heading. On narrow screens CSS turns each row into a card; the
 * roles are explicit because browsers drop implicit ones when `display` changes.
 * @template T
 * @param {string} caption
 * @param {Column<T>[]} columns
 * @param {T[]} rows
 * @param {string} empty the text without rows
 */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return h('section', { class: 'empty' }, h('h2', {}, caption), h('p', {}, empty));
  const heads = columns.map(([label]) => h('th', { scope: 'col', role: 'columnheader' }, label));
  return h(
    'table',
    { role: 'table' },
    h('caption', {}, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, heads)),
    h(
      'tbody',
      { role: 'rowgroup' },
      rows.map((row) =>
        h(
          'tr',
          { role: 'row' },
          columns.map((column, n) => cell(column, row, n)),
        ),
      ),
    ),
  );
}

/** @template T @param {Column<T>} column @param {T} row @param {number} n */
function cell([label, show], row, n) {
  const content = h('div', {}, ...[show(row)].flat().map(apart));
  if ([...content.childNodes].some(isTooLong)) content.className = 'long';
  if (n === 0) return h('th', { scope: 'row', role: 'rowheader', 'data-label': label }, content);
  return h('td', { role: 'cell', 'data-label': label }, content);
}

/** A text by itself: characters in it that turn the direction of writing do not turn what stands beside it. @param {Child} child */
const apart = (child) => (typeof child === 'string' ? h('bdi', {}, child) : child);

/** Whether a text has a word that may break, because it would push the actions of its row out of the window. Ids are cut instead. @param {Node} node */
const isTooLong = (node) =>
  /\S{32}/.test(node.textContent ?? '') &&
  !(node instanceof Element && (node.matches('.id') || node.querySelector('.id')));

/**
 * A button that begins an operation (null: one of no operator). Where the operator may not do it, it is disabled and says why.
 * @param {string} label
 * @param {OperationId | null} operation
 * @param {() => unknown} onclick
 * @param {Record<string, unknown>} [more]
 */
export function actionButton(label, operation, onclick, more = {}) {
  const lack = lackFor(operation);
  return h('button', { type: 'button', title: lack, disabled: lack !== null, onclick, ...more }, label);
}

/**
 * A button of a row. Its accessible name contains the row. Its id stays the same when the table is rendered again.
 * @param {string} label
 * @param {string} of the name of the row
 * @param {OperationId | null} operation
 * @param {() => unknown} onclick
 */
export const rowButton = (label, of, operation, onclick) =>
  actionButton(label, operation, onclick, {
    id: `${label} ${of}`.replaceAll(' ', '-').toLowerCase(),
    'aria-label': `${label}: ${of}`,
  });

/**
 * The button above a table that creates a row.
 * @param {string} id
 * @param {string} label
 * @param {OperationId | null} operation
 * @param {() => unknown} onclick
 */
export const makeButton = (id, label, operation, onclick) =>
  h('p', {}, actionButton(label, operation, onclick, { id, class: 'primary' }));

/**
 * Labelled values, side by side.
 * @param {[label: string, value: Child | Child[]][]} members
 */
export const facts = (members) =>
  h(
    'dl',
    { class: 'facts' },
    ...members.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, ...[value].flat()))),
  );

/** A link to the next page of a list, or nothing. @param {import('./route.js').Route} route @param {string | null} next */
export const pager = (route, next) =>
  h(
    'p',
    { class: 'pager' },
    route.query.cursor && h('a', { href: route.with({ cursor: '' }) }, 'First page'),
    next && h('a', { href: route.with({ cursor: next }) }, 'Next page'),
  );
