import { startTrading } from '../trading.ts';
import { accountScenes, ambiguousScenes } from './accounts.ts';
import { callerScenes } from './callers.ts';
import { edgeScenes, processScenes } from './edge.ts';
import { oddRequestScenes } from './odd-requests.ts';
import { operatorScenes } from './operators.ts';
import { orderScenes } from './orders.ts';
import { payoutScenes } from './payouts.ts';
import { processorScenes, toldScenes } from './processor.ts';
import { registrationArea } from './registrations.ts';
import { signInScenes, tokenScenes } from './sign-ins.ts';
import { streamScenes } from './streams.ts';
import type { Area } from './suite.ts';
import { approvalScenes, tenantScenes } from './tenants.ts';
import { doubtScenes, tradingScenes } from './trading.ts';
import { userScenes } from './users.ts';
import { venueScenes } from './venues.ts';
import { walletArea } from './wallets.ts';
import { webhookScenes } from './webhooks.ts';

const QUICK = { ORDER_DEADLINE_MS: '2500', CHECKOUT_DEADLINE_MS: '1500', PROVISION_DEADLINE_MS: '2500' };
const PATIENCE = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' };

/** All scenes, by the service that they need. Each area has a test file of its name in `test/api/law`. */
export const AREAS = {
  callers: { start: () => startTrading(), scenes: [callerScenes, webhookScenes, orderScenes] },
  venues: {
    start: () => startTrading({ settings: { ...QUICK, ...PATIENCE }, upstream: { cooldownMs: 2_500 } }),
    scenes: [venueScenes, tradingScenes],
  },
  doubt: {
    start: () => startTrading({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '60000' } }),
    scenes: [doubtScenes],
  },
  people: {
    start: () => startTrading(),
    scenes: [userScenes, signInScenes],
    byHand: [tokenScenes, streamScenes, oddRequestScenes],
  },
  operators: { start: () => startTrading(), scenes: [operatorScenes, tenantScenes] },
  payouts: {
    start: () =>
      startTrading({
        settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000', PAYOUT_DESTINATION_HOLD_H: '24' },
      }),
    scenes: [payoutScenes],
  },
  processor: {
    start: () => startTrading({ settings: { ...QUICK, PAYMENT_RECONCILE_MS: '0' } }),
    scenes: [processorScenes],
    byHand: [toldScenes],
  },
  registrations: registrationArea,
  wallets: walletArea,
  accounts: {
    start: () => startTrading({ settings: { ...QUICK, ...PATIENCE } }),
    scenes: [accountScenes],
    byHand: [ambiguousScenes],
  },
  edge: {
    start: () => startTrading({ settings: { THROTTLE_SCALE: '1' } }),
    scenes: [processScenes],
    byHand: [edgeScenes],
  },
  approvals: { start: () => startTrading({ settings: { DUAL_CONTROL_CENTS: '10000' } }), scenes: [approvalScenes] },
} satisfies Record<string, Area>;
