import { accounts } from './views/accounts.js';
import { approvals } from './views/approvals.js';
import { apps } from './views/apps.js';
import { audit } from './views/audit.js';
import { charts } from './views/charts.js';
import { deliveries } from './views/deliveries.js';
import { disputes } from './views/disputes.js';
import { fleet } from './views/fleet.js';
import { intents } from './views/intents.js';
import { jobs } from './views/jobs.js';
import { ledger } from './views/ledger.js';
import { mails } from './views/mails.js';
import { operators } from './views/operators.js';
import { orders } from './views/orders.js';
import { overview } from './views/overview.js';
import { partners } from './views/partners.js';
import { recovery } from './views/recovery.js';
import { requests } from './views/requests.js';
import { search } from './views/search.js';
import { stranded } from './views/stranded.js';
import { tiers } from './views/tiers.js';
import { unfulfilled } from './views/unfulfilled.js';
import { upstreams } from './views/upstreams.js';
import { users } from './views/users.js';

/** @typedef {(notes: string) => Promise<void>} Again reads the view again and shows what was done */
/** @typedef {{ content: Node[], isLive?: boolean }} Rendered `isLive`: it refreshes automatically */
/**
 * @typedef {object} View
 * @property {string} name in the URL's fragment
 * @property {string} group
 * @property {string} title
 * @property {import('./permissions.js').OperationId} [reads] where not every operator may: in the menu of those who may
 * @property {string} [titleOfOne] the title if the fragment contains an id
 * @property {(route: import('./route.js').Route, again: Again) => Promise<Rendered>} render
 */

/** All views, in the order of the menu. The first is the start page. @type {View[]} */
export const views = [
  overview,
  charts,
  search,
  intents,
  orders,
  deliveries,
  jobs,
  mails,
  upstreams,
  fleet,
  accounts,
  unfulfilled,
  stranded,
  disputes,
  ledger,
  tiers,
  users,
  requests,
  apps,
  partners,
  operators,
  approvals,
  recovery,
  audit,
];
