/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element. Attributes are given by name: true sets an empty attribute, null and false set none. Functions
 * under `on…` are listeners. Text stays text and never becomes markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(
    ...children
      .flat()
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map(nodeOf),
  );
  return element;
}

/** @param {Child} child */
const nodeOf = (child) => (child instanceof Node ? child : String(child));

/**
 * The element with that id. Throws if the page has none.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element;
}

/**
 * Runs a change of the page. If the focused element was removed, focuses the element with the same id, or else
 * `otherwise`.
 * @param {() => void} change
 * @param {() => HTMLElement | null} otherwise
 */
export function keepingFocus(change, otherwise) {
  const focused = document.activeElement;
  const id = focused?.id;
  change();
  if (focused?.isConnected && focused !== document.body) return;
  ((id && document.getElementById(id)) || otherwise())?.focus();
}
