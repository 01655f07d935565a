import { registerNetvenueTrader } from '../accounts/http.ts';
import { createWalletChallenge } from '../accounts/links/http.ts';
import * as propAccounts from '../accounts/prop/http.ts';
import * as recovery from '../admin/accounts/http.ts';
import * as adminApps from '../admin/apps/http.ts';
import * as adminAudit from '../admin/audit/http.ts';
import * as adminDeliveries from '../admin/deliveries/http.ts';
import * as adminFigures from '../admin/figures/http.ts';
import * as adminJobs from '../admin/jobs/http.ts';
import { moveWalletLink } from '../admin/links/http.ts';
import * as adminMails from '../admin/mails/http.ts';
import * as adminPartnerKeys from '../admin/partner-keys/http.ts';
import * as adminPartners from '../admin/partners/http.ts';
import * as paymentOperators from '../admin/payments/http.ts';
import * as payoutOperators from '../admin/payouts/http.ts';
import * as adminQueue from '../admin/queue/http.ts';
import * as adminRequests from '../admin/requests/http.ts';
import * as adminReruns from '../admin/reruns/http.ts';
import * as adminSearch from '../admin/search/http.ts';
import * as adminSessions from '../admin/sessions/http.ts';
import * as adminTotp from '../admin/totp/http.ts';
import * as adminUpstreams from '../admin/upstreams/http.ts';
import * as adminUsers from '../admin/users/http.ts';
import * as agreements from '../agreements/http.ts';
import { getAgreementKeys } from '../agreements/keys/http.ts';
import * as apps from '../apps/http.ts';
import * as appRequests from '../apps/requests/http.ts';
import * as enrollments from '../enrollments/http.ts';
import * as events from '../events/http.ts';
import * as partnerStream from '../events/stream/http.ts';
import * as health from '../health/http.ts';
import * as kyc from '../kyc/http.ts';
import * as notifications from '../notifications/http.ts';
import * as exchangeOrders from '../orders/exchange/http.ts';
import {
  cancelNetvenueOrder,
  closeNetvenuePosition,
  editNetvenueOrder,
  getNetvenueOrder,
  listNetvenueOrders,
  setNetvenueTpSl,
  submitNetvenueOrder,
} from '../orders/network/http.ts';
import { getPartnerIntent } from '../partners/http.ts';
import * as payments from '../payments/http.ts';
import * as payouts from '../payouts/http.ts';
import * as balances from '../portfolio/balance/http.ts';
import * as history from '../portfolio/history/http.ts';
import * as portfolioPayouts from '../portfolio/payouts/http.ts';
import * as positions from '../portfolio/positions/http.ts';
import * as rules from '../portfolio/rules/http.ts';
import * as trades from '../portfolio/trades/http.ts';
import * as registration from '../registration/http.ts';
import * as tradingDesk from '../trading/desk/http.ts';
import * as trading from '../trading/http.ts';
import * as traderKeys from '../trading/keys/http.ts';
import * as tradingStream from '../trading/stream/http.ts';
import * as users from '../users/http.ts';
import * as userSessions from '../users/sessions/http.ts';
import * as userTotp from '../users/totp/http.ts';
import * as webhooks from '../webhooks/http.ts';
import * as partnerWebhooks from '../webhooks/partners/http.ts';
import type { Handlers } from './handler.ts';

const table = {
  ...payments,
  ...propAccounts,
  ...recovery,
  ...paymentOperators,
  ...payoutOperators,
  ...kyc,
  ...payouts,
  ...balances,
  ...history,
  ...portfolioPayouts,
  ...positions,
  ...rules,
  ...trades,
  ...enrollments,
  ...exchangeOrders,
  ...registration,
  ...apps,
  ...appRequests,
  ...adminSessions,
  ...adminTotp,
  ...adminApps,
  ...adminRequests,
  ...adminPartners,
  ...adminPartnerKeys,
  ...adminReruns,
  ...adminDeliveries,
  ...adminMails,
  ...adminJobs,
  ...adminQueue,
  ...adminUpstreams,
  ...adminFigures,
  ...adminSearch,
  ...adminAudit,
  ...users,
  ...adminUsers,
  ...userSessions,
  ...userTotp,
  ...agreements,
  getAgreementKeys,
  ...events,
  ...partnerStream,
  ...notifications,
  ...webhooks,
  ...partnerWebhooks,
  ...traderKeys,
  ...trading,
  ...tradingDesk,
  ...tradingStream,
  submitNetvenueOrder,
  getNetvenueOrder,
  listNetvenueOrders,
  cancelNetvenueOrder,
  closeNetvenuePosition,
  setNetvenueTpSl,
  editNetvenueOrder,
  registerNetvenueTrader,
  createWalletChallenge,
  moveWalletLink,
  getPartnerIntent,
  ...health,
};

/** The handler of every operation of the contract. */
export const handlers = table satisfies Handlers<never>;

type AllDeps<Handler> = Handler extends (call: { deps: infer Deps } & infer _) => unknown ? Deps : never;
type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The dependencies of all handlers together. */
export type HandlerDeps = Both<AllDeps<(typeof handlers)[keyof typeof handlers]>>;
