import { h } from './dom.js';
import { control, valuesOf } from './fields.js';
import { go } from './route.js';

/**
 * Creates a form that filters a list. Its values are stored in the URL's fragment, without the space around them that was copied
 * too. While it has values that are not shown yet, nothing replaces it: see refresh.js.
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
  form.addEventListener('input', () => form.setAttribute('data-typed', ''));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    form.removeAttribute('data-typed');
    const typed = Object.entries(valuesOf(form)).map(([name, value]) => [name, `${value}`.trim()]);
    const blank = Object.fromEntries(fields.map(({ name }) => [name, '']));
    go(route.with({ ...blank, cursor: '', ...Object.fromEntries(typed) }));
  });
  return form;
}
