/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Attributes by name (true stands for an empty one, null and false for none), `on…` members are listeners, and
 * text stays text: nothing given here ever becomes markup.
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
 * The element with that id, which the page holds.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element;
}

/**
 * Runs a change of the page and puts the focus back on what stands under the same id afterwards, or else on `otherwise`.
 * @param {() => void} change
 * @param {() => HTMLElement | null} otherwise
 */
export function keepingFocus(change, otherwise) {
  const held = document.activeElement;
  const id = held?.id;
  change();
  if (held?.isConnected && held !== document.body) return;
  ((id && document.getElementById(id)) || otherwise())?.focus();
}
