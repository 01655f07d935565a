import { registerNetvenueTrader } from './capabilities/accounts/http.ts';
import { createWalletChallenge } from './capabilities/accounts/links/http.ts';
import * as propAccounts from './capabilities/accounts/prop/http.ts';
import * as recovery from './capabilities/admin/accounts/http.ts';
import * as adminApprovals from './capabilities/admin/approvals/http.ts';
import * as adminApps from './capabilities/admin/apps/http.ts';
import * as adminAudit from './capabilities/admin/audit/http.ts';
import * as adminDeliveries from './capabilities/admin/deliveries/http.ts';
import { listDisputes } from './capabilities/admin/disputes/http.ts';
import * as adminFigures from './capabilities/admin/figures/http.ts';
import { getFleet } from './capabilities/admin/fleet/http.ts';
import * as adminJobs from './capabilities/admin/jobs/http.ts';
import * as adminLedger from './capabilities/admin/ledger/http.ts';
import { moveWalletLink } from './capabilities/admin/links/http.ts';
import * as adminMails from './capabilities/admin/mails/http.ts';
import * as adminOperators from './capabilities/admin/operators/http.ts';
import { listOrdersOfTrader } from './capabilities/admin/orders/http.ts';
import * as adminPartnerKeys from './capabilities/admin/partner-keys/http.ts';
import * as adminPartners from './capabilities/admin/partners/http.ts';
import * as adminPauses from './capabilities/admin/pauses/http.ts';
import * as paymentOperators from './capabilities/admin/payments/http.ts';
import * as payoutOperators from './capabilities/admin/payouts/http.ts';
import * as adminQueue from './capabilities/admin/queue/http.ts';
import { attachRegistration } from './capabilities/admin/registrations/http.ts';
import * as adminRequests from './capabilities/admin/requests/http.ts';
import * as adminReruns from './capabilities/admin/reruns/http.ts';
import * as adminSearch from './capabilities/admin/search/http.ts';
import * as adminSessions from './capabilities/admin/sessions/http.ts';
import * as adminTotp from './capabilities/admin/totp/http.ts';
import * as adminUpstreams from './capabilities/admin/upstreams/http.ts';
import * as adminUsers from './capabilities/admin/users/http.ts';
import * as agreements from './capabilities/agreements/http.ts';
import * as apps from './capabilities/apps/http.ts';
import * as appRequests from './capabilities/apps/requests/http.ts';
import * as enrollments from './capabilities/enrollments/http.ts';
import * as events from './capabilities/events/http.ts';
import * as partnerStream from './capabilities/events/stream/http.ts';
import * as health from './capabilities/health/http.ts';
import * as kyc from './capabilities/kyc/http.ts';
import * as notifications from './capabilities/notifications/http.ts';
import { getPartnerIntent } from './capabilities/partners/http.ts';
import * as partnerKeys from './capabilities/partners/keys/http.ts';
import * as payments from './capabilities/payments/http.ts';
import * as payoutAccounts from './capabilities/payouts/accounts/http.ts';
import * as payouts from './capabilities/payouts/http.ts';
import * as balances from './capabilities/portfolio/balance/http.ts';
import * as history from './capabilities/portfolio/history/http.ts';
import * as portfolioPayouts from './capabilities/portfolio/payouts/http.ts';
import * as positions from './capabilities/portfolio/positions/http.ts';
import * as rules from './capabilities/portfolio/rules/http.ts';
import * as trades from './capabilities/portfolio/trades/http.ts';
import * as registration from './capabilities/registration/http.ts';
import * as ownRequests from './capabilities/requests/http.ts';
import * as ownSearch from './capabilities/search/http.ts';
import * as statements from './capabilities/statements/http.ts';
import { issuePartnerStreamTicket } from './capabilities/streams/tickets/http.ts';
import * as tradingDesk from './capabilities/trading/desk/http.ts';
import * as trading from './capabilities/trading/http.ts';
import * as traderKeys from './capabilities/trading/keys/http.ts';
import * as tradingStream from './capabilities/trading/stream/http.ts';
import * as users from './capabilities/users/http.ts';
import * as userSessions from './capabilities/users/sessions/http.ts';
import * as userTotp from './capabilities/users/totp/http.ts';
import * as webhooks from './capabilities/webhooks/http.ts';
import * as partnerWebhooks from './capabilities/webhooks/partners/http.ts';
import type { AnyHandlers, Handlers } from './contract/handler.ts';
import { VENUES } from './venues/index.ts';

type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

const venues = Object.assign({}, ...VENUES.map(({ operations }) => operations)) as Both<
  (typeof VENUES)[number]['operations']
>; // as: `assign` of a list has no type

const table = {
  ...venues,
  ...payments,
  ...propAccounts,
  ...recovery,
  ...paymentOperators,
  ...payoutOperators,
  ...adminLedger,
  ...kyc,
  ...payoutAccounts,
  ...payouts,
  ...balances,
  ...history,
  ...portfolioPayouts,
  ...positions,
  ...rules,
  ...trades,
  ...enrollments,
  ...registration,
  ...apps,
  ...appRequests,
  ...adminSessions,
  ...adminTotp,
  ...adminOperators,
  ...adminApprovals,
  ...adminApps,
  ...adminRequests,
  ...adminPartners,
  ...adminPartnerKeys,
  ...adminPauses,
  ...adminReruns,
  ...adminDeliveries,
  ...adminMails,
  ...adminJobs,
  ...adminQueue,
  ...adminUpstreams,
  ...adminFigures,
  getFleet,
  listDisputes,
  listOrdersOfTrader,
  ...adminSearch,
  ...adminAudit,
  ...users,
  ...adminUsers,
  ...userSessions,
  ...userTotp,
  ...agreements,
  ...events,
  ...partnerStream,
  ...statements,
  ...ownSearch,
  ...ownRequests,
  ...notifications,
  ...webhooks,
  ...partnerWebhooks,
  ...traderKeys,
  ...trading,
  ...tradingDesk,
  ...tradingStream,
  issuePartnerStreamTicket,
  registerNetvenueTrader,
  createWalletChallenge,
  attachRegistration,
  moveWalletLink,
  getPartnerIntent,
  ...partnerKeys,
  ...health,
};

const handlers = table satisfies Handlers<never>;

type AllDeps<Handler> = Handler extends (call: { deps: infer Deps } & infer _) => unknown ? Deps : never;

/** The dependencies of all handlers together, without what the edge adds. */
type HandlerDeps = Omit<Both<AllDeps<(typeof handlers)[keyof typeof handlers]>>, 'quotaUse'>;

/** The handler of every operation of the contract, for a process that has all of their dependencies. */
export const handlersFor = (_: HandlerDeps): AnyHandlers => handlers as unknown as AnyHandlers; // as: the edge gives each what it needs
