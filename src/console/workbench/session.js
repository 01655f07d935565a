import { onSessionEnd, presentAs, RequestFailure, UNREACHED } from '../api.js';
import { byId, h } from '../dom.js';
import { control, valuesOf } from '../fields.js';
import { wording } from '../notices.js';

/** @typedef {{ root: '/v1' | '/v2', name: string }} Caller The generation of the caller's paths, and its name */

/** @type {import('../fields.js').Field[]} */
const fields = [
  {
    name: 'credential',
    label: 'Partner key, or client id of an app',
    hint: 'It stays in the memory of this page, and is gone when the page is.',
    more: { maxlength: 128, placeholder: 'tpk_… or app_…', spellcheck: 'false' },
  },
  { name: 'secret', label: 'Client secret', kind: 'password', optional: true, more: { maxlength: 128 } },
];

/** @type {Caller | null} */
let caller = null;
/** @type {Promise<void> | null} */
let entering = null;

/** The caller that is signed in. */
export function currentCaller() {
  if (!caller) throw new Error('Nobody has entered credentials');
  return caller;
}

/** Asks for credentials now, and again whenever they are valid no more. */
export async function keepCredentials() {
  const again = (/** @type {string} */ notes) => {
    entering ??= enter(notes).finally(() => {
      entering = null;
    });
    return entering;
  };
  onSessionEnd(() => again('The credentials are not valid any more. Those of an app are asked for again every hour.'));
  await again('');
}

/** @param {string} notes */
async function enter(notes) {
  const page = byId('console');
  page.hidden = true;
  const failure = h('p', { class: 'rejected', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Open');
  const heading = h('h1', { id: 'log-in-title' }, 'Workbench');
  const controls = fields.map((field) => control(field, 'enter'));
  const form = h('form', {}, heading, h('p', { role: 'status' }, notes), controls, failure, h('p', {}, submit));
  const dialog = h('dialog', { id: 'log-in', closedby: 'none', 'aria-labelledby': 'log-in-title' }, form);
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  const name = caller?.name;
  await new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      failure.textContent = '';
      try {
        resolve(await identify(valuesOf(form)));
      } catch (error) {
        failure.textContent = wording(error);
        submit.disabled = false;
      }
    });
  });
  if (name !== undefined && name !== currentCaller().name) return location.reload(); // another tenant sees nothing of the page
  dialog.remove();
  page.hidden = false;
}

/** Checks credentials, and uses them from now on. @param {import('../fields.js').Values} values */
async function identify({ credential = '', secret = '' }) {
  const id = String(credential).trim();
  if (id.startsWith('app_')) return identifyApp(id, String(secret).trim());
  const headers = { Authorization: `Bearer ${id}` };
  await read('/v1/webhook-endpoints?limit=1', { headers });
  presentAs(headers);
  caller = { root: '/v1', name: nameOf(id) };
}

/** Uses another key of the same partner from now on. @param {string} key */
export function replaceKey(key) {
  presentAs({ Authorization: `Bearer ${key}` });
  caller = { ...currentCaller(), name: nameOf(key) };
}

/** @param {string} key */
const nameOf = (key) => `partner ${key.slice(0, 8)}…`;

/** @param {string} id @param {string} secret */
async function identifyApp(id, secret) {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const token = await read('/v2/oauth/token', { method: 'POST', body: new URLSearchParams(form) });
  const headers = { Authorization: `Bearer ${token.access_token}` };
  const app = await read('/v2/apps/me', { headers });
  presentAs(headers);
  caller = { root: '/v2', name: app.name };
}

/** @param {string} path @param {RequestInit} init @returns {Promise<any>} any, because it depends on the path */
async function read(path, init) {
  const unread = () => {
    throw new RequestFailure(0, { code: 'NO_RESPONSE', message: UNREACHED });
  };
  const response = await fetch(path, { ...init, cache: 'no-store', credentials: 'omit' }).catch(unread);
  const body = await response.json().catch(unread);
  if (!response.ok) throw new RequestFailure(response.status, body.error?.code ? body.error : body.detail);
  return body;
}
