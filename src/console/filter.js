import { h } from './dom.js';
import { control, valuesOf } from './fields.js';

/**
 * Creates a form that filters a list. Its values are stored in the URL's fragment.
 * @param {import('./route.js').Route} route
 * @param {import('./fields.js').Field[]} fields
 */
export function filter(route, fields) {
  const filled = fields.map((field) =>
    control({ optional: true, isPlain: true, ...field, value: route.query[field.name] ?? field.value ?? '' }, 'filter'),
  );
  const form = h(
    'form',
    { class: 'filter', role: 'search', 'aria-label': 'Filter the list' },
    filled,
    h('p', {}, h('button', { id: 'filter-show' }, 'Show')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const blank = Object.fromEntries(fields.map(({ name }) => [name, '']));
    location.hash = route.with({ ...blank, cursor: '', .../** @type {Record<string, string>} */ (valuesOf(form)) });
  });
  return form;
}
