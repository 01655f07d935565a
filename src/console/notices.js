import { RequestFailure } from './api.js';
import { byId } from './dom.js';

/** Shows what was done, also to screen readers. @param {string} text */
export function say(text) {
  byId('said').textContent = text;
}

/** Shows an error with its code. @param {unknown} error */
export function complain(error) {
  hush();
  byId('rejected').textContent = wording(error);
}

/** Clears all notices. */
export function hush() {
  byId('said').textContent = '';
  takeBack();
}

/** Clears the error. */
export function takeBack() {
  byId('rejected').textContent = '';
}

/** The text of an error: message, code, when to repeat, and request id. @param {unknown} error */
export function wording(error) {
  if (!(error instanceof RequestFailure)) return `${error instanceof Error ? error.message : error}`;
  const fields = error.fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const request = error.requestId && `, request ${error.requestId}`;
  const pause = error.retryAfter ? `, retry after ${error.retryAfter} s` : '';
  return `${error.message}${fields && ` ${fields}`} (${error.code}${pause}${request})`;
}
