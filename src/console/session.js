import { ask, onSessionEnd, Refused } from './api.js';
import { byId, h } from './dom.js';
import { control, valuesOf } from './fields.js';
import { complain, wording } from './notices.js';
import { drawQrCode } from './qr.js';

/** @typedef {import('./fields.js').Field} Field */

/** @type {Field} */
const codeField = {
  name: 'code',
  label: 'Code of your authenticator',
  hint: 'Six digits, good once.',
  more: { inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9]{6}', maxlength: 6 },
};
/** @type {Field[]} */
const passwordFields = [
  { name: 'email', label: 'E-mail address', kind: 'email', more: { autocomplete: 'username' } },
  { name: 'password', label: 'Password', kind: 'password', more: { autocomplete: 'current-password' } },
];

/** @type {Promise<void> | null} */
let loggingIn = null;
let operator = '';

/** Brings back a session whenever the service says that there is none: a log-in over everything, which stays beneath as it was. */
export function keepSession() {
  onSessionEnd((error) => {
    loggingIn ??= logIn(error).finally(() => {
      loggingIn = null;
    });
    return loggingIn;
  });
}

/** Whose session it is; from now on the page is that operator's. */
export async function readOperator() {
  const { email } = await ask('get', '/v2/admin/me');
  operator = email;
  return email;
}

/** Ends the session and forgets everything on the page. Complains where the service did not hear of it. */
export async function logOut() {
  try {
    await ask('post', '/v2/admin/logout', { isLogIn: true });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) return complain(error);
  }
  location.reload();
}

/** @param {Refused} error */
async function logIn(error) {
  const page = byId('console');
  const { hidden } = page;
  page.hidden = true;
  const dialog = h('dialog', { id: 'log-in', closedby: 'none', 'aria-labelledby': 'log-in-title' });
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  const told = hidden ? '' : 'Your session has ended. Log in to go on where you were.';
  const email = await identify(dialog, error.code, told).catch((fault) => showFault(dialog, fault));
  if (operator !== '' && operator !== email) return location.reload(); // another one sees nothing of the one before
  dialog.close();
  dialog.remove();
  page.hidden = hidden;
}

/** @param {HTMLDialogElement} dialog @param {string} code why there is no session @param {string} told */
async function identify(dialog, code, told) {
  if (code === 'V2_TOTP_REQUIRED') await enroll(dialog);
  else await enterPassword(dialog, told);
  return (await ask('get', '/v2/admin/me', { isLogIn: true })).email;
}

/** @param {HTMLDialogElement} dialog @param {unknown} fault @returns {never} */
function showFault(dialog, fault) {
  const refused = h('p', { class: 'refused', role: 'alert' }, wording(fault));
  const hint = 'Browsers keep the session over https and on this machine only.';
  const again = h('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Start again');
  dialog.replaceChildren(
    h('h1', { id: 'log-in-title' }, 'Not logged in'),
    refused,
    h('p', {}, hint),
    h('p', {}, again),
  );
  throw fault;
}

/** @param {HTMLDialogElement} dialog @param {string} told */
async function enterPassword(dialog, told) {
  /** @type {Record<string, unknown>} */
  let given = {};
  const answer = await step(dialog, 'Log in', told, passwordFields, 'Log in', async (values) => {
    given = values;
    return logInWith(values);
  });
  if (answer.totp_required) {
    const says = `Password accepted for ${answer.email}.`;
    await step(dialog, 'Log in', says, [codeField], 'Log in', ({ code }) => logInWith({ ...given, totp_code: code }));
  } else if (!answer.totp_enrolled) await enroll(dialog);
}

/** @param {object} body */
const logInWith = (body) => ask('post', '/v2/admin/login', { body, isLogIn: true });

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
 * One form of the log-in, shown until what it does succeeds.
 * @template T
 * @param {HTMLDialogElement} dialog @param {string} title @param {string} told @param {Field[]} fields @param {string} button
 * @param {(values: Record<string, unknown>) => Promise<T>} run
 * @param {Node[]} [shown]
 * @returns {Promise<T>}
 */
function step(dialog, title, told, fields, button, run, shown = []) {
  const refused = h('p', { class: 'refused', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'primary' }, button);
  const controls = fields.map((field) => control(field, 'log-in'));
  const heading = h('h1', { id: 'log-in-title' }, title);
  const form = h('form', {}, heading, h('p', { role: 'status' }, told), shown, controls, refused, h('p', {}, submit));
  dialog.replaceChildren(form);
  form.querySelector('input')?.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      refused.textContent = '';
      try {
        resolve(await run(valuesOf(form)));
      } catch (error) {
        refused.textContent = wording(error);
        submit.disabled = false;
        if (fields.includes(codeField)) form.querySelector('input')?.select();
      }
    });
  });
}
