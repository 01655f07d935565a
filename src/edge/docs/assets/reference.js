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

const labelled = (label, name, value, properties = {}) => {
  const control = Object.assign(document.createElement(name), {
    spellcheck: false,
    autocomplete: 'off',
    ...properties,
    value,
  });
  const made = document.createElement('label');
  made.append(label, control);
  return [made, control];
};

/** Values of headers that were given once are there in the next form. They are kept by this page alone, until it is left. */
const given = new Map();

const headerLines = (text) =>
  text.split('\n').flatMap((line) => {
    const [, name, value] = /^([\w-]+):\s*(\S.*?)\s*$/.exec(line) ?? [];
    return name ? [[name, value]] : [];
  });

/** Adds a form that sends the operation to this service, as an app or a partner would. */
function addTrial(operation) {
  const { method, path, headers, body } = JSON.parse(operation.dataset.trial);
  delete operation.dataset.trial;
  const form = Object.assign(document.createElement('form'), { className: 'trial' });
  const lines = headers.map((line) => {
    const [name] = line.split(':');
    return name !== 'Content-Type' && given.has(name) ? `${name}: ${given.get(name)}` : line;
  });
  const [pathLabel, pathField] = labelled(`${method} `, 'input', path, { required: true });
  const [headersLabel, headersField] = labelled('Headers', 'textarea', lines.join('\n'), {
    rows: Math.max(2, lines.length),
  });
  const [bodyLabel, bodyField] = body === undefined ? [] : labelled('Body', 'textarea', body, { rows: 8 });
  const button = Object.assign(document.createElement('button'), { textContent: 'Send' });
  const output = Object.assign(document.createElement('pre'), { tabIndex: 0, hidden: true });
  let [last, key] = ['', ''];
  output.setAttribute('role', 'status');
  form.append(pathLabel, headersLabel, ...(bodyLabel ? [bodyLabel] : []), button, output);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const sent = headerLines(headersField.value);
    for (const [name, value] of sent) given.set(name, value);
    const request = { method, path: pathField.value, headers: sent, body: bodyField?.value };
    if (key === '' || last !== JSON.stringify(request)) [last, key] = [JSON.stringify(request), crypto.randomUUID()];
    button.disabled = true;
    output.hidden = false;
    output.textContent = '…';
    try {
      const { text, isSettled } = await send(request, key);
      output.textContent = text;
      if (isSettled) key = ''; // what is sent next is another request
    } catch ({ message }) {
      output.textContent = message;
    } finally {
      button.disabled = false;
    }
  });
  const title = Object.assign(document.createElement('h4'), { textContent: 'Send it from this page' });
  operation.append(title, form);
}

/** Sends a request; a write whose headers name no `Idempotency-Key` has this one. `isSettled`: the response says what it has done. */
async function send({ method, path, headers, body }, key) {
  const all = new Headers(method === 'GET' ? {} : { 'Idempotency-Key': key });
  for (const [name, value] of headers) all.set(name, value);
  const response = await fetch(path, { method, headers: all, ...(body !== undefined && { body }) });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
  return {
    text: `${response.status}\n${json === undefined ? text : JSON.stringify(json, null, 2)}`,
    isSettled: response.ok || (json?.error?.intent_id !== undefined && json.error.effect !== 'unknown'),
  };
}

let contract;

/** The samples of an operation, from the contract, which is read once. */
async function samplesOf(id) {
  contract ??= fetch('/openapi.json').then((response) => response.json());
  const specs = Object.values((await contract).paths).flatMap((item) => Object.values(item));
  return specs.find(({ operationId }) => operationId === id)['x-codeSamples'];
}

/** Adds a choice of the language to the first command of an operation. */
async function addLanguages(operation) {
  const code = operation.querySelector('.sample code');
  const samples = await samplesOf(operation.id);
  const choice = document.createElement('select');
  choice.append(...samples.map(({ label }) => new Option(label)));
  choice.addEventListener('change', () => {
    code.textContent = samples[choice.selectedIndex].source;
  });
  const label = document.createElement('label');
  label.append('Language ', choice);
  operation.querySelector('.sample').before(label);
}

for (const operation of operations)
  operation.addEventListener('toggle', () => {
    if (!operation.open || operation.dataset.opened) return;
    operation.dataset.opened = 'true';
    addLanguages(operation);
    if (operation.dataset.trial) addTrial(operation);
  });
field.addEventListener('input', filter);
document.getElementById('open-all').addEventListener('click', () => {
  for (const operation of operations) operation.open = !operation.hidden;
});
addEventListener('hashchange', reveal);
filter();
reveal();
