/** @typedef {{ view: string, id: string, query: Record<string, string>, with: (query: Record<string, string>) => string }} Route */

/** The view, the id and the query in a fragment such as `#/intents/7?state=failed`. @param {string} hash @returns {Route} */
export function readRoute(hash) {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decoded);
  const query = Object.fromEntries(new URLSearchParams(search));
  return { view, id, query, with: (more) => routeTo(id === '' ? view : `${view}/${id}`, { ...query, ...more }) };
}

/** A text with a percent sign that escapes nothing stays as it is: it was typed or cut. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The fragment of a view. Empty members are left out. @param {string} path @param {Record<string, string>} [query] */
export function routeTo(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
}

/** Opens a view, also the one that is open: it is read again. @param {string} fragment */
export function go(fragment) {
  if (location.hash === fragment) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = fragment;
}
