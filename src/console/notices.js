import { Refused } from './api.js';
import { byId } from './dom.js';

/** Tells what was done, to the eye and to a screen reader. @param {string} text */
export function say(text) {
  byId('said').textContent = text;
}

/** Tells why something was not done, with the refusal's code. @param {unknown} error */
export function complain(error) {
  hush();
  byId('refused').textContent = wording(error);
}

/** Takes the last notice away. */
export function hush() {
  byId('said').textContent = '';
  takeBack();
}

/** Takes a complaint away that is over. */
export function takeBack() {
  byId('refused').textContent = '';
}

/** A refusal in words: message, code, and the id of the request for the log. @param {unknown} error */
export function wording(error) {
  if (!(error instanceof Refused)) return `${error instanceof Error ? error.message : error}`;
  const fields = error.fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const asked = error.requestId && `, request ${error.requestId}`;
  return `${error.message}${fields && ` ${fields}`} (${error.code}${asked})`;
}
