import { h } from './dom.js';

/**
 * @typedef {object} Field
 * @property {string} name a member of the body
 * @property {string} label
 * @property {string} [hint]
 * @property {'text' | 'password' | 'email' | 'url' | 'number' | 'area' | 'select' | 'checks'} [kind]
 * @property {(string | [value: string, label: string])[]} [options] for `select` and `checks`
 * @property {string | number | string[] | null} [value] the initial value
 * @property {boolean} [optional]
 * @property {boolean} [isPlain] optional, without the mark "(optional)"
 * @property {Record<string, unknown>} [more] further attributes of the control
 */
/** @typedef {Record<string, string | string[]>} Values */

/** The field of every operation that requires a reason. @type {Field} */
export const reason = {
  name: 'reason',
  label: 'Reason',
  hint: 'Stored in the audit with your name.',
  kind: 'area',
  more: { minlength: 1, maxlength: 500 },
};

/** The field of what ends credentials: whether they are stolen. @type {Field} */
export const stolen = {
  name: 'stolen',
  label: 'Why',
  hint: 'Stolen: webhook endpoints that were set with them in the last 30 days are deactivated, and their owner gets a mail.',
  kind: 'select',
  options: [
    ['false', 'they are replaced'],
    ['true', 'they are stolen'],
  ],
};

/** Creates a labelled control. @param {Field} field @param {string} scope prefix of its ids, unique per form */
export function control(field, scope) {
  const id = `${scope}-${field.name}`;
  const hint = field.hint && h('small', { id: `${id}-hint` }, field.hint);
  const attributes = {
    id,
    name: field.name,
    required: !field.optional,
    'aria-describedby': hint ? `${id}-hint` : null,
    ...field.more,
  };
  if (field.kind === 'checks') return checks(field, id, hint);
  const mark = field.optional && !field.isPlain ? h('span', { class: 'optional' }, ' (optional)') : null;
  return h('p', { class: 'field' }, h('label', { for: id }, field.label, mark), input(field, attributes), hint);
}

/** @param {Field} field @param {Record<string, unknown>} attributes */
function input({ kind = 'text', options = [], value }, attributes) {
  if (kind === 'area') return h('textarea', { rows: 3, ...attributes }, value?.toString());
  if (kind === 'select') return h('select', attributes, ...options.map((option) => choice(option, value)));
  return h('input', { type: kind, value, autocomplete: 'off', ...attributes });
}

/** @param {string | [string, string]} option @param {Field['value']} chosen */
function choice(option, chosen) {
  const [value, label] = typeof option === 'string' ? [option, option] : option;
  return h('option', { value, selected: value === chosen }, label);
}

/** @param {Field} field @param {string} id @param {Node | '' | undefined} hint */
function checks({ name, label, options = [], value }, id, hint) {
  const boxes = options.map((option) => {
    const text = String(option);
    const attributes = { type: 'checkbox', id: `${id}-${text}`, name, value: text, 'data-many': true };
    const isOn = Array.isArray(value) && value.includes(text);
    return h('label', { class: 'check' }, h('input', { ...attributes, checked: isOn }), text);
  });
  return h('fieldset', {}, h('legend', {}, label), boxes, hint);
}

/** The values of a form: texts, and lists for checks. Empty texts are left out. @param {HTMLFormElement} form @returns {Values} */
export function valuesOf(form) {
  /** @type {Values} */
  const values = {};
  for (const box of form.querySelectorAll('input[data-many]')) values[box.getAttribute('name') ?? ''] = [];
  for (const [name, value] of new FormData(form)) {
    const earlier = values[name];
    if (Array.isArray(earlier)) earlier.push(`${value}`);
    else if (value !== '') values[name] = `${value}`;
  }
  return values;
}

/**
 * The values that differ from those that a form was opened with: what it does not change may have been changed meanwhile. Throws if
 * none differs.
 * @param {object} values @param {object} opened
 */
export function changesOf(values, opened) {
  const textOf = (/** @type {unknown} */ value) => (Array.isArray(value) ? [...value].sort().join(' ') : `${value}`);
  const earlier = /** @type {Record<string, unknown>} */ (opened);
  const changed = Object.entries(values).filter(([name, value]) => textOf(value) !== textOf(earlier[name]));
  if (changed.length === 0) throw new Error('Nothing is changed.');
  return Object.fromEntries(changed);
}
