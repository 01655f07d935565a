import { ask, beforeRequests, onSessionEnd, RequestFailure } from './api.js';
import { byId, h } from './dom.js';
import { control, valuesOf } from './fields.js';
import { complain, wording } from './notices.js';
import { actAs } from './permissions.js';
import { drawQrCode } from './qr.js';

/** @typedef {import('./fields.js').Field} Field */

/** @type {Field} */
const codeField = {
  name: 'code',
  label: 'Code of your authenticator',
  hint: '6 digits, valid once.',
  more: { inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9]{6}', maxlength: 6 },
};
/** @type {Field[]} */
const passwordFields = [
  { name: 'email', label: 'E-mail address', kind: 'email', more: { autocomplete: 'username' } },
  { name: 'password', label: 'Password', kind: 'password', more: { autocomplete: 'current-password' } },
];

/** @type {Field} */
const newPasswordField = {
  name: 'password',
  label: 'New password',
  kind: 'password',
  more: { autocomplete: 'new-password', minlength: 12, maxlength: 256 },
};

/** @type {Promise<void> | null} */
let loggingIn = null;
let operator = '';

/** Carries to all tabs of the browser the id of the operator who has logged in: the cookie is theirs. */
const tabs = new BroadcastChannel('operator');
/** That operator, as far as this tab has heard. */
let holder = '';
const REPLACED = 'Another operator has logged in in this browser. Nothing was done; this page becomes theirs.';

/**
 * Renews the session whenever the service reports that there is none. The log-in covers the page, which stays
 * unchanged.
 */
export function keepSession() {
  beforeRequests(requireOwnSession);
  tabs.addEventListener('message', ({ data }) => {
    holder = data;
    if (!document.querySelector('dialog[open]:not(#log-in)')) isReplaced(); // a secret that is shown once stays until it is copied
  });
  onSessionEnd((error) => {
    loggingIn ??= logIn(error).finally(() => {
      loggingIn = null;
    });
    return loggingIn;
  });
}

/** Throws, and gives the page to the other operator, if another one has logged in in another tab: the cookie is theirs now. */
function requireOwnSession() {
  if (isReplaced()) throw new RequestFailure(0, { code: 'ANOTHER_OPERATOR', message: REPLACED });
}

/** Whether another operator has logged in; then the page is loaded anew. */
function isReplaced() {
  const isAnother = operator !== '' && operator !== holder;
  if (isAnother) location.reload();
  return isAnother;
}

/** Tells the other tabs whose cookie the browser has. @param {string} admin_id */
function announce(admin_id) {
  holder = admin_id;
  tabs.postMessage(admin_id);
}

/**
 * Lets an invited operator set a password, with the token of the mailed link. The log-in follows. The token is taken out of
 * the address bar first.
 * @param {string} token
 */
export async function acceptInvitation(token) {
  history.replaceState(null, '', '#/');
  const dialog = h('dialog', { id: 'log-in', closedby: 'none', 'aria-labelledby': 'log-in-title' });
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  const says = 'At least 12 characters. Then log in with your e-mail address and enroll an authenticator.';
  await step(dialog, 'Set your password', says, [newPasswordField], 'Set', ({ password }) =>
    ask('post', '/v2/admin/invitations/accept', { body: { token, password }, isLogIn: true }),
  );
  dialog.close();
  dialog.remove();
}

/** Reads the operator of the session, and its role. From then on the page belongs to that operator. */
export async function readOperator() {
  const { admin_id, email, role } = await ask('get', '/v2/admin/me');
  announce(admin_id);
  operator = admin_id;
  actAs(role);
  return `${email}, ${role}`;
}

/** Ends the session and reloads the page. Shows an error if the service did not receive the request. */
export async function logOut() {
  try {
    await ask('post', '/v2/admin/logout', { isLogIn: true });
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.status !== 401) return complain(error);
  }
  location.reload();
}

/** @param {RequestFailure} error */
async function logIn(error) {
  const page = byId('console');
  const { hidden } = page;
  page.hidden = true;
  const dialog = h('dialog', { id: 'log-in', closedby: 'none', 'aria-labelledby': 'log-in-title' });
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  const notes = hidden ? '' : 'Your session has ended. Log in to go on where you were.';
  const found = await identify(dialog, error.code, notes).catch((fault) => showFault(dialog, fault));
  if (operator !== '' && operator !== found) return location.reload(); // another operator must not see the previous operator's page
  dialog.close();
  dialog.remove();
  page.hidden = hidden;
}

/** @param {HTMLDialogElement} dialog @param {string} code the error that reported the missing session @param {string} notes */
async function identify(dialog, code, notes) {
  if (code === 'V2_TOTP_REQUIRED') await enroll(dialog);
  else await enterPassword(dialog, notes);
  const { admin_id } = await ask('get', '/v2/admin/me', { isLogIn: true });
  announce(admin_id);
  return admin_id;
}

/** @param {HTMLDialogElement} dialog @param {unknown} fault @returns {never} */
function showFault(dialog, fault) {
  const failure = h('p', { class: 'rejected', role: 'alert' }, wording(fault));
  const hint = 'Browsers keep the session only over https or on localhost.';
  const again = h('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Start again');
  dialog.replaceChildren(
    h('h1', { id: 'log-in-title' }, 'Not logged in'),
    failure,
    h('p', {}, hint),
    h('p', {}, again),
  );
  throw fault;
}

/** @param {HTMLDialogElement} dialog @param {string} notes */
async function enterPassword(dialog, notes) {
  /** @type {Record<string, unknown>} */
  let given = {};
  const response = await step(dialog, 'Log in', notes, passwordFields, 'Log in', async (values) => {
    given = values;
    return logInWith(values);
  });
  if (response.totp_required) {
    const says = `Password accepted for ${response.email}.`;
    await step(dialog, 'Log in', says, [codeField], 'Log in', ({ code }) => logInWith({ ...given, totp_code: code }));
  } else if (!response.totp_enrolled) await enroll(dialog);
}

/** @param {object} body */
async function logInWith(body) {
  const response = await ask('post', '/v2/admin/login', { body, isLogIn: true });
  if (response.totp_enrolled && !response.totp_required) announce(response.admin_id); // at once: other tabs have the cookie
  return response;
}

/** @param {HTMLDialogElement} dialog */
async function enroll(dialog) {
  const { secret, otpauth_uri } = await ask('post', '/v2/admin/totp/enroll', { isLogIn: true });
  const picture = drawQrCode(otpauth_uri, 'QR code of the secret below');
  const written = h(
    'p',
    {},
    'Or enter this secret by hand: ',
    h('code', { id: 'totp-secret', class: 'secret' }, secret),
  );
  const says =
    'Every operator needs an authenticator. Scan this with an authenticator app, then enter the code it shows.';
  await step(
    dialog,
    'Enroll an authenticator',
    says,
    [codeField],
    'Confirm',
    ({ code }) => ask('post', '/v2/admin/totp/confirm', { body: { code }, isLogIn: true }),
    [picture, written],
  );
}

/**
 * One form of the log-in, shown until its action succeeds.
 * @template T
 * @param {HTMLDialogElement} dialog @param {string} title @param {string} notes @param {Field[]} fields @param {string} button
 * @param {(values: Record<string, unknown>) => Promise<T>} run
 * @param {Node[]} [shown]
 * @returns {Promise<T>}
 */
function step(dialog, title, notes, fields, button, run, shown = []) {
  const failure = h('p', { class: 'rejected', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'primary' }, button);
  const controls = fields.map((field) => control(field, 'log-in'));
  const heading = h('h1', { id: 'log-in-title' }, title);
  const form = h('form', {}, heading, h('p', { role: 'status' }, notes), shown, controls, failure, h('p', {}, submit));
  dialog.replaceChildren(form);
  form.querySelector('input')?.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      failure.textContent = '';
      try {
        resolve(await run(valuesOf(form)));
      } catch (error) {
        failure.textContent = wording(error);
        submit.disabled = false;
        if (fields.includes(codeField)) form.querySelector('input')?.select();
      }
    });
  });
}
