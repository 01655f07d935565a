import { RequestFailure } from './api.js';
import { byId, h, keepingFocus } from './dom.js';
import { complain, hush, say, takeBack } from './notices.js';
import { lackFor } from './permissions.js';
import { refreshBy, refreshNote, stopRefreshing } from './refresh.js';
import { go, readRoute, routeTo } from './route.js';

/** @typedef {import('./route.js').Route} Route */
/** @typedef {import('./views.js').View} View */
/** @typedef {{ views: View[], name: string, enter(): Promise<void>, leave(): unknown }} Frame `enter` finds who uses it, `leave` ends that */

/** @type {View[]} */
let views = [];
let frameName = '';

/** @typedef {{ view: View, route: Route, body: HTMLElement, turn: number, filter: Element | null }} Shown `filter`: the form that asked for it */

let shown = 0;

/** Shows the view in the URL's fragment: its heading at once, with the focus, and its content after it was read. */
async function show() {
  const route = readRoute(location.hash);
  const view = views.find(({ name }) => name === route.view) ?? views[0];
  if (!view) return;
  const turn = ++shown;
  const filter = document.title === titleOf(view, route) ? document.querySelector('#content form.filter') : null;
  stopRefreshing();
  hush();
  markCurrent(view);
  document.title = titleOf(view, route);
  const heading = h('h1', { tabindex: -1 }, headingOf(view, route));
  const body = h('div', { 'aria-busy': true }, h('p', {}, 'Reading…'));
  byId('content').replaceChildren(heading, body);
  heading.focus();
  await fill({ view, route, body, turn, filter });
}

/** @param {View} view @param {Route} route */
const headingOf = (view, { id }) => (id === '' ? view.title : (view.titleOfOne ?? view.title));

/** @param {View} view @param {Route} route */
const titleOf = (view, route) => `${headingOf(view, route)} – ${frameName}`;

/** Reads a view and shows it. Where that fails, what was shown stays, and at first the filter, with what was typed. @param {Shown} page */
async function fill(page) {
  const { view, route, body, turn, filter } = page;
  const again = (/** @type {string} */ notes) => fill(page).then(() => say(notes));
  try {
    const { content, isLive } = await view.render(route, again);
    if (turn !== shown) return;
    takeBack();
    keepingFocus(
      () => body.replaceChildren(...content, ...(isLive ? [refreshNote()] : [])),
      () => byId('content').querySelector('h1'),
    );
    if (isLive) refreshBy(() => fill(page));
    else stopRefreshing();
  } catch (error) {
    if (turn !== shown) return;
    if (body.hasAttribute('aria-busy')) body.replaceChildren(...(filter ? [filter] : []));
    complain(error);
  } finally {
    body.removeAttribute('aria-busy');
  }
}

/** @param {View} current */
function markCurrent(current) {
  for (const link of byId('views').querySelectorAll('a')) {
    if (link.getAttribute('href') === `#/${current.name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** @param {View} view */
const isPermitted = ({ reads }) => lackFor(reads ?? null) === null;

/** @param {View[]} shownViews */
function listViews(shownViews) {
  const groups = [...new Set(shownViews.map(({ group }) => group))].map((group) => {
    const links = shownViews
      .filter((view) => view.group === group)
      .map(({ name, title }) => h('li', {}, h('a', { href: `#/${name}` }, title)));
    return h(
      'div',
      {},
      h('h2', { id: `group-${group}` }, group),
      h('ul', { 'aria-labelledby': `group-${group}` }, links),
    );
  });
  byId('views').append(...groups);
}

/** @param {SubmitEvent} event */
function find(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  go(routeTo('search', { q: String(new FormData(form).get('q')).trim() }));
  form.reset();
}

/**
 * Opens a page of views: its menu, its search, and the view that the fragment of its URL names.
 * @param {Frame} frame
 */
export function openFrame(frame) {
  addEventListener('unhandledrejection', complainOfUnseen);
  start(frame).catch((error) => {
    byId('console').hidden = false;
    complain(error);
  });
}

/** Shows the error of a request that nothing else shows, such as one before a dialog. @param {PromiseRejectionEvent} event */
function complainOfUnseen(event) {
  if (!(event.reason instanceof RequestFailure)) return;
  event.preventDefault();
  complain(event.reason);
}

/** @param {Frame} frame */
async function start(frame) {
  ({ views, name: frameName } = frame);
  byId('log-out').addEventListener('click', frame.leave);
  byId('find').addEventListener('submit', find);
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault(); // the fragment selects the view
    byId('view').focus();
  });
  await frame.enter();
  listViews(views.filter(isPermitted));
  if (!views.some((view) => view.name === 'search' && isPermitted(view))) document.querySelector('search')?.remove();
  byId('console').hidden = false;
  addEventListener('hashchange', show);
  byId('views').addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement && target.hash === location.hash) show(); // no change of the fragment is reported
  });
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  await show();
}
