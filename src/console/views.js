import { accounts } from './views/accounts.js';
import { apps } from './views/apps.js';
import { audit } from './views/audit.js';
import { deliveries } from './views/deliveries.js';
import { intents } from './views/intents.js';
import { overview } from './views/overview.js';
import { partners } from './views/partners.js';
import { requests } from './views/requests.js';
import { unserved } from './views/unserved.js';

/** @typedef {(told: string) => Promise<void>} Again reads the view anew and says what was done */
/** @typedef {{ content: Node[], isLive?: boolean }} Rendered `isLive`: it is read again by itself */
/**
 * @typedef {object} View
 * @property {string} name in the address
 * @property {string} group
 * @property {string} title
 * @property {string} [titleOfOne] where the address holds an id
 * @property {(route: import('./route.js').Route, again: Again) => Promise<Rendered>} render
 */

/** Every view, in the order of the menu; the first is where an operator arrives. @type {View[]} */
export const views = [overview, intents, deliveries, accounts, unserved, requests, apps, partners, audit];
