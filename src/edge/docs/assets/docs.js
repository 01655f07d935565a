import { options, ranked } from './search.js';

const LIBRARY = '/docs/minisearch.js';
const field = document.getElementById('search');
const found = document.getElementById('found');
let index;

const load = () => {
  index ??= Promise.all([import(LIBRARY), fetch('/docs/search.json').then((response) => response.text())]).then(
    ([{ default: MiniSearch }, json]) => MiniSearch.loadJSON(json, options),
  );
  return index;
};

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const shown = ({ title, page, url }) =>
  element('li', {}, element('a', { href: url }, title), element('span', { className: 'page' }, ` ${page}`));

async function search() {
  const query = field.value.trim();
  found.hidden = query === '';
  if (query === '') return;
  const loaded = await load();
  if (query !== field.value.trim()) return;
  const results = ranked(loaded, query);
  const list = element('ol', {}, ...results.map(shown));
  found.replaceChildren(
    element('h2', {}, results.length > 0 ? `Found for “${query}”` : `Nothing found for “${query}”`),
    list,
  );
}

field.addEventListener('focus', load);
field.addEventListener('input', search);
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  const first = found.querySelector('a');
  if (first) first.click();
});
found.addEventListener('click', ({ target }) => {
  if (target.matches('a')) found.hidden = true;
});
field.value = new URLSearchParams(location.search).get('q') ?? '';
search();

/** On a phone the list of all pages is folded, so that the content comes first. */
const pages = document.getElementById('pages');
const phone = matchMedia('(max-width: 48rem)');
const fold = () => {
  pages.open = !phone.matches;
};
phone.addEventListener('change', fold);
fold();

if (navigator.clipboard)
  for (const block of document.querySelectorAll('pre')) {
    const button = element('button', { type: 'button', className: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    });
    const frame = element('div', { className: 'block' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
