import { access } from './access.js';
import { deliveries } from './deliveries.js';
import { endpoints } from './endpoints.js';
import { events } from './events.js';
import { requests } from './requests.js';
import { sandbox } from './sandbox.js';
import { search } from './search.js';
import { trial } from './trial.js';

/** All views of the workbench, in the order of the menu. The first is the start page. @type {import('../views.js').View[]} */
export const views = [events, requests, search, endpoints, deliveries, access, trial, sandbox];
