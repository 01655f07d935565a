const field = document.getElementById('filter');
const count = document.getElementById('count');
const operations = [...document.querySelectorAll('.operation')];
const texts = new Map(
  operations.map((operation) => [
    operation,
    `${operation.id} ${operation.querySelector('summary').textContent} ${operation.parentElement.querySelector('h2').textContent}`.toLowerCase(),
  ]),
);

/** Shows the operations whose method, path, summary, id or tag contains every word of the filter. */
function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const operation of operations) {
    operation.hidden = !words.every((word) => texts.get(operation).includes(word));
    if (!operation.hidden) shown += 1;
  }
  for (const section of document.querySelectorAll('main > section:has(.operation)'))
    section.hidden = !section.querySelector('.operation:not([hidden])');
  count.textContent = `${shown} of ${operations.length} operations`;
}

/** Opens the operation or schema that the address names. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName !== 'DETAILS') return;
  if (target.hidden) {
    field.value = '';
    filter();
  }
  target.open = true;
  target.scrollIntoView();
}

field.addEventListener('input', filter);
document.getElementById('open-all').addEventListener('click', () => {
  for (const operation of operations) operation.open = !operation.hidden;
});
addEventListener('hashchange', reveal);
filter();
reveal();
