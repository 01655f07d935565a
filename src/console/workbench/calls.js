import * as api from '../api.js';
import { currentCaller } from './session.js';

/** @typedef {import('../api.js').Requested} Requested */

/**
 * Sends a request to a path that both generations have, such as `/events`.
 * @param {import('../api.js').Method} method @param {string} path @param {Requested} [requested]
 * @returns {Promise<any>} any, because it depends on the path
 */
export const ask = (method, path, requested) =>
  /** @type {any} */ (api.ask)(method, currentCaller().root + path, requested);

/** Reads a page of a list that both generations have. @param {string} path @param {Requested} [requested] @returns {Promise<{ items: any[], next: string | null }>} */
export const askPage = (path, requested) => /** @type {any} */ (api.askPage)(currentCaller().root + path, requested);

/**
 * Sends a call with the session's credentials. `text` is the status and body; `isSettled`: the response says what the call has done, in
 * this attempt or an earlier one under its key. Throws if no response arrives: sent again with the same key, it does nothing twice if
 * its operation takes one.
 * @param {import('../samples.js').SampledCall} call
 * @param {string} key for `Idempotency-Key`
 */
export async function sendAs({ method, path, members, query, headers, body, takesKey }, key) {
  const at = path.replace(/\{([\w-]+)\}/g, (_, name) => encodeURIComponent(members[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const response = await fetch(given.length > 0 ? `${at}?${new URLSearchParams(given)}` : at, {
    method: method.toUpperCase(),
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
      ...api.presented(),
      ...(body && { 'Content-Type': body.type }),
      ...(takesKey && { 'Idempotency-Key': key }),
    },
    ...(body && { body: JSON.stringify(body.value) }),
  });
  const text = await response.text();
  const json = response.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : undefined;
  return {
    text: `${response.status}\n${json === undefined ? text : JSON.stringify(json, null, 2)}`,
    isSettled: response.ok || (json?.error?.intent_id !== undefined && json.error.effect !== 'unknown'),
  };
}
