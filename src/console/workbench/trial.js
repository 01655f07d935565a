import { UNREACHED } from '../api.js';
import { idempotencyKeys } from '../dialog.js';
import { h } from '../dom.js';
import { control, valuesOf } from '../fields.js';
import { complain, takeBack } from '../notices.js';
import { languages } from '../samples.js';
import { sendAs } from './calls.js';
import { operationsFor } from './operations.js';
import { currentCaller } from './session.js';

/** @typedef {import('./operations.js').Operation} Operation */

/** Any operation that the caller's credentials open: the call as code, and what it responds. @type {import('../views.js').View} */
export const trial = {
  name: 'try',
  group: 'Access',
  title: 'Try an operation',
  async render(route) {
    const scheme = currentCaller().root === '/v2' ? 'appToken' : 'partnerKey';
    const others = ['userSession', scheme]; // a session of a user is a header that a person adds
    const operations = await operationsFor((set) => set.includes(scheme) && set.every((each) => others.includes(each)));
    const offered = operations.filter(({ streams }) => !streams);
    const chosen = offered.find(({ id }) => id === route.query.operation) ?? offered[0];
    return { content: chosen ? [choice(route, offered, chosen), form(chosen, scheme)] : [] };
  },
};

/** @param {import('../route.js').Route} route @param {Operation[]} operations @param {Operation} chosen */
function choice(route, operations, chosen) {
  const options = operations.map(
    ({ id, method, path, summary }) =>
      /** @type {[string, string]} */ ([id, `${method.toUpperCase()} ${path}: ${summary}`]),
  );
  const field = control({ name: 'operation', label: 'Operation', kind: 'select', options, value: chosen.id }, 'try');
  field.addEventListener('change', ({ target }) => {
    location.hash = route.with({ operation: /** @type {HTMLSelectElement} */ (target).value });
  });
  return field;
}

const SECRET = /(?:private_key|password|secret|token|code)$/;

/** The call as code may show it: without the texts of its body that are secrets. @param {import('../samples.js').SampledCall} call */
const withoutSecrets = ({ body, ...call }) => ({
  ...call,
  body: body && {
    type: body.type,
    value: JSON.parse(JSON.stringify(body.value), (name, value) =>
      typeof value === 'string' && SECRET.test(name) ? '…' : value,
    ),
  },
});

/** @param {Operation} operation @param {string} scheme */
function form(operation, scheme) {
  const schemes = operation.schemes.find((set) => set.includes(scheme)) ?? [];
  const fields = fieldsOf(operation, schemes);
  const samples = languages
    .slice(0, 3)
    .map(({ label }) => h('pre', { tabindex: 0, 'aria-label': `As ${label}` }, h('code')));
  const output = h('pre', { tabindex: 0, role: 'status', hidden: true });
  const submit = h('button', { class: 'primary' }, 'Send');
  const made = h(
    'form',
    { class: 'trial' },
    fields.map((field) => control(field, 'try')),
    h('p', {}, submit),
  );
  const describe = () => {
    const call = callOf(operation, schemes, valuesOf(made));
    for (const [n, { write }] of languages.slice(0, 3).entries()) {
      const code = samples[n]?.querySelector('code');
      if (code && call) code.textContent = write(withoutSecrets(call));
    }
    return call;
  };
  let keyOf = idempotencyKeys();
  made.addEventListener('input', describe);
  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    const call = describe();
    if (!call) return complain(new Error('The body is not JSON.'));
    takeBack();
    submit.disabled = true;
    output.hidden = false;
    output.textContent = '…';
    try {
      const { text, isSettled } = await sendAs(call, keyOf(call));
      output.textContent = text;
      if (isSettled) keyOf = idempotencyKeys(); // what is sent next is another request
    } catch (error) {
      const isRepeatable = call.takesKey || call.method === 'get';
      output.textContent = isRepeatable ? UNREACHED : /** @type {Error} */ (error).message;
    } finally {
      submit.disabled = false;
    }
  });
  describe();
  const shown = languages.slice(0, 3).flatMap(({ label }, n) => [h('h3', {}, label), /** @type {Node} */ (samples[n])]);
  return h('section', {}, made, output, h('h2', {}, 'The call as code'), ...shown);
}

/** @type {import('../fields.js').Field} */
const session = { name: 'header:X-Session-Token', label: 'X-Session-Token', kind: 'password' };

/** @param {Operation} operation @param {string[]} schemes @returns {import('../fields.js').Field[]} */
function fieldsOf({ parameters, body }, schemes) {
  const shown = parameters.filter(({ name, in: place }) => name !== 'Idempotency-Key' && place !== 'cookie');
  return [
    ...(schemes.includes('userSession') ? [session] : []),
    ...shown.map(({ name, in: place, required, description, schema }) => ({
      name: `${place}:${name}`,
      label: name,
      ...(description && { hint: description }),
      optional: !required,
      value: schema?.enum && required ? String(schema.enum[0]) : null,
    })),
    ...(body
      ? [
          {
            name: 'body',
            label: 'Body',
            kind: /** @type {const} */ ('area'),
            value: JSON.stringify(body.value, null, 2),
            more: { rows: 8 },
          },
        ]
      : []),
  ];
}

/**
 * The call that the form describes; null if its body is not JSON.
 * @param {Operation} operation @param {string[]} schemes @param {import('../fields.js').Values} values
 * @returns {import('../samples.js').SampledCall | null}
 */
function callOf({ method, path, parameters, body, streams }, schemes, values) {
  const valuesIn = (/** @type {string} */ place) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const [at, member] = name.split(/:(.*)/);
        return at === place && member ? [[member, `${value}`]] : [];
      }),
    );
  const required = parameters.filter((each) => each.required);
  const blank = (/** @type {string} */ place) =>
    Object.fromEntries(required.filter((each) => each.in === place).map(({ name }) => [name, '']));
  try {
    return {
      ...{ method, path, streams, schemes },
      members: valuesIn('path'),
      query: { ...blank('query'), ...valuesIn('query') },
      headers: { ...blank('header'), ...valuesIn('header') },
      takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
      body: body && { type: body.type, value: JSON.parse(`${values.body ?? 'null'}`) },
    };
  } catch {
    return null;
  }
}
