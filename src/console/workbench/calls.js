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
