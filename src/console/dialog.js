import { RequestFailure } from './api.js';
import { h } from './dom.js';
import { control, valuesOf } from './fields.js';
import { wording } from './notices.js';

/** @typedef {import('./fields.js').Field} Field */
/**
 * @template T
 * @typedef {object} Action
 * @property {string} title
 * @property {(string | Node)[]} [says] the description, in paragraphs
 * @property {Field[]} [fields]
 * @property {string} button
 * @property {boolean} [isDanger]
 * @property {{ says: string, word: string }} [twice] a second confirmation: the operator must type `word`
 * @property {(values: any, key: string) => Promise<T>} run executes it; `values` by field name, `key` is equal for equal values
 */

let forms = 0;

/**
 * Shows a dialog for an action and executes it. Resolves to its result, or null if the operator cancelled, or if one is open: its
 * button was pressed twice. An error is shown in the dialog; the typed values stay. It is not cancelled while the action runs.
 * @template T
 * @param {Action<T>} action
 * @returns {Promise<T | null>}
 */
export function act(action) {
  if (document.querySelector('dialog[open]')) return Promise.resolve(null);
  const scope = `form-${++forms}`;
  const fields = (action.fields ?? []).map((field) => control(field, scope));
  const second = confirmation(action, scope);
  const failure = h('p', { class: 'rejected', role: 'alert' });
  const submit = h('button', { type: 'submit', class: action.isDanger ? 'danger' : 'primary' }, action.button);
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
  const setRunning = (/** @type {boolean} */ isRunning) => {
    submit.disabled = isRunning;
    cancel.disabled = isRunning; // what was sent is not cancelled, and its result would be lost
    dialog.setAttribute('closedby', isRunning ? 'none' : 'closerequest');
  };
  const form = h('form', {}, h('h2', { id: scope }, action.title), paragraphs(action.says), fields, second, failure);
  form.append(h('p', { class: 'buttons' }, submit, cancel));
  const dialog = open(scope, form);
  /** @type {{ response: T } | null} */
  let done = null;
  const keyOf = idempotencyKeys();

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (second?.hidden) return reveal(second);
    const { again, ...values } = valuesOf(form);
    failure.textContent = again === action.twice?.word ? '' : `That is not ${action.twice?.word}.`;
    if (failure.textContent) return;
    setRunning(true);
    try {
      done = { response: await action.run(values, keyOf(values)) };
      dialog.close();
    } catch (error) {
      failure.textContent = wording(error);
      markFields(form, error);
    } finally {
      setRunning(false);
    }
  });
  dialog.addEventListener('cancel', (event) => submit.disabled && event.preventDefault()); // where `closedby` is unknown
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done ? done.response : null);
    });
  });
}

/** @param {Action<any>} action @param {string} scope */
function confirmation({ twice }, scope) {
  if (!twice) return null;
  const field = { name: 'again', label: `Type ${twice.word} to go on`, more: { disabled: true } };
  return h('div', { class: 'twice', hidden: true }, h('p', {}, h('strong', {}, twice.says)), control(field, scope));
}

/** @param {HTMLElement} second */
function reveal(second) {
  second.hidden = false;
  const input = second.querySelector('input');
  if (!input) return;
  input.disabled = false;
  input.focus();
}

/**
 * Equal values get the same key, so that a retry after a lost response does nothing twice. Other values get a new key.
 */
export function idempotencyKeys() {
  let [last, key] = ['', ''];
  return (/** @type {object} */ values) => {
    if (key === '' || last !== JSON.stringify(values)) [last, key] = [JSON.stringify(values), crypto.randomUUID()];
    return key;
  };
}

/** @param {HTMLFormElement} form @param {unknown} error */
function markFields(form, error) {
  const wrong = error instanceof RequestFailure ? error.fields.map(({ loc }) => String(loc.at(-1))) : [];
  for (const input of form.querySelectorAll('input, textarea, select')) {
    if (wrong.includes(input.getAttribute('name') ?? '')) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
}

/** @param {(string | Node)[]} [says] */
const paragraphs = (says = []) => says.map((text) => (text instanceof Node ? text : h('p', {}, text)));

/** @param {string} labelledBy @param {HTMLElement} content @param {Record<string, unknown>} [more] */
function open(labelledBy, content, more = {}) {
  const dialog = h('dialog', { 'aria-labelledby': labelledBy, ...more }, content);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Shows secrets that cannot be shown again. Only its button closes the dialog. Resolves when it is closed.
 * @param {string} title
 * @param {[label: string, value: string][]} secrets
 * @returns {Promise<void>}
 */
export function showOnce(title, secrets) {
  const scope = `form-${++forms}`;
  const close = h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'I have kept it');
  const content = h('div', {}, h('h2', { id: scope }, title), h('p', {}, 'Copy it now: it cannot be shown again.'));
  content.append(...secrets.map(secretLine), h('p', { class: 'buttons' }, close));
  const dialog = open(scope, content, { closedby: 'none' });
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve();
    });
  });
}

/** @param {[label: string, value: string]} secret */
function secretLine([label, value]) {
  const shown = h('code', { class: 'secret' }, value);
  const notes = h('span', { role: 'status' });
  const copy = async () => {
    await navigator.clipboard.writeText(value).then(
      () => {
        notes.textContent = 'Copied';
      },
      () => {
        getSelection()?.selectAllChildren(shown);
        notes.textContent = 'Selected: copy it with the keyboard';
      },
    );
  };
  return h(
    'div',
    { class: 'once' },
    h('p', {}, label),
    shown,
    h('button', { type: 'button', onclick: copy }, `Copy ${label.toLowerCase()}`),
    notes,
  );
}
