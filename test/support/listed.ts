import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { appForPayouts, earner } from './foreign.ts';
import { type Ask, asking, bearer, fresh, PASSWORD } from './identity.ts';
import { fillTables } from './listed-rows.ts';
import { eventually } from './money.ts';
import { limit, market } from './orders.ts';
import type { Trading } from './trading.ts';

/** Who reads a list, at which path. */
export type Listed = { ask: Ask; path: string };

const WEEK_MS = 7 * 86_400_000;
const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');
const settlements = [0, 1].map((n) => ({
  start_ms: MONDAY_MS + n * WEEK_MS,
  end_ms: MONDAY_MS + n * WEEK_MS + 1,
  payout: 500 + n,
}));

const done = async (reply: ReturnType<Ask>) => {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const post = async (ask: Ask, path: string, json: object, headers = {}) => done(ask('POST', path, { json, headers }));

/** Two entries of every list of the contract, by its operation. A user has at most one payout account. */
export async function listEverything(service: Trading): Promise<Record<string, Listed>> {
  const app = await appForPayouts(service);
  const user = await earner(service, app);
  const { ask: operator } = await service.admin();
  const endpoint = await fillApp(service, app.ask, user);
  await fillUser(user.ask, user.account);
  await fillTables(service, app.appId, user);
  await service.network({ subaccount_id: await subaccountOf(user.ask, user.account), settlements });
  const partnerId = await fillOperators(service, operator);
  await fillApprovals(service);
  const ofUser = (path: string) => ({ ask: user.ask, path });
  const ofApp = (path: string) => ({ ask: app.ask, path });
  const ofOperator = (path: string) => ({ ask: operator, path });
  await post(app.ask, '/v2/apps/me/rotate-secret', {}, { 'Idempotency-Key': 'rotation' });
  return {
    ...(await partnersLists(service)),
    listUserSessions: ofUser('/v2/auth/sessions'),
    listTiers: ofApp('/v2/tiers'),
    listPropAccounts: ofUser('/v2/payments/prop-accounts'),
    listFailedPropAccounts: ofApp('/v2/payments/prop-accounts/failed'),
    listConnectAccounts: ofUser('/v2/connect/accounts'),
    listUserPayouts: ofUser('/v2/payouts'),
    listWebhookEndpoints: ofApp('/v2/webhook-endpoints'),
    listWebhookDeliveries: ofApp(`/v2/webhook-endpoints/${endpoint}/deliveries`),
    listAppEvents: ofApp('/v2/events'),
    listOwnSecrets: ofApp('/v2/apps/me/secrets'),
    listAppRequests: ofApp('/v2/requests?operation=createWebhookEndpoint'),
    listAppStatement: ofApp('/v2/statements'),
    listAgreementAudits: ofUser('/v2/agreements/audits'),
    listApiKeys: ofUser('/v2/api-keys'),
    listTradingOrders: ofUser('/v2/trading/orders'),
    listTradingPositions: ofUser('/v2/trading/positions'),
    listTradingHistory: ofUser('/v2/trading/history'),
    listTradingRules: ofUser('/v2/trading/rules'),
    listTenantApps: ofOperator('/v2/admin/apps'),
    listAccessRequests: ofOperator('/v2/admin/app-requests'),
    listAllPartners: ofOperator('/v2/admin/partners'),
    listKeysOfPartner: ofOperator(`/v2/admin/partners/${partnerId}/keys`),
    listAllTiers: ofOperator('/v2/admin/tiers'),
    listUnfulfilledPayments: ofOperator('/v2/admin/payments/unfulfilled?minutes=0'),
    listStrandedPayouts: ofOperator('/v2/admin/payouts/stranded'),
    listPaymentRecords: ofApp('/v2/finance/payments'),
    listPayoutRecords: ofApp('/v2/finance/payouts'),
    listLedgerAccounts: ofOperator('/v2/admin/ledger/accounts'),
    listLedgerBalances: ofOperator('/v2/admin/ledger/balances'),
    listLedgerEntries: ofOperator('/v2/admin/ledger/entries'),
    listLedgerDifferences: ofOperator('/v2/admin/ledger/differences'),
    listFailedAccounts: ofOperator('/v2/admin/prop-accounts/failed'),
    listTroubledIntents: ofOperator('/v2/admin/intents?state=failed'),
    listTroubledDeliveries: ofOperator('/v2/admin/deliveries?state=failed'),
    listFailedMails: ofOperator('/v2/admin/mails/failed'),
    listOrdersOfTrader: ofOperator('/v2/admin/orders?trader=listed'),
    listDisputes: ofOperator('/v2/admin/disputes'),
    listDeadJobs: ofOperator('/v2/admin/jobs/dead'),
    listOperators: ofOperator('/v2/admin/operators'),
    listApprovals: ofOperator('/v2/admin/approvals'),
    listOperatorActions: ofOperator('/v2/admin/audit'),
  };
}

/** Two requests for approval, which a deployment with one operator does not make. */
async function fillApprovals(service: Trading): Promise<void> {
  const { adminId } = await service.admin();
  await service.db.query(sql.unsafe`
    insert into approvals (id, operation, subject, digest, summary, reason, role, requested_by, expires_at)
    select 'apv_' || n, 'refundPayment', 'pay_' || n, '', '{"amount_cents": 49900}', 'asked for it', 'finance', ${adminId},
      now() + interval '1 day'
    from generate_series(1, 2) n`);
  await service.db.query(sql.unsafe`
    update approvals set decided_by = ${(await service.admin()).adminId}, decided_at = now(), decision = 'rejected' where id = 'apv_2'`);
}

/** Trades in two pairs: an open position, a closed one and a resting order in each. */
async function trade(ask: Ask, orders: string, headers = {}): Promise<void> {
  for (const trade_pair of ['BTCUSDC', 'ETHUSDC']) {
    await post(ask, orders, market({ trade_pair }), headers);
    await post(ask, `${orders}/close`, { trade_pair }, headers);
    await post(ask, orders, market({ trade_pair, leverage: 0.2 }), headers);
    await post(ask, orders, limit({ trade_pair, limit_price: 1_000 }), headers);
  }
}

async function partnersLists(service: Trading): Promise<Record<string, Listed>> {
  const { key, wallet } = await service.wallet();
  const ask = asking(service.url, bearer(key));
  const hooks = '/v1/webhook-endpoints';
  await post(ask, hooks, { url: 'https://hooks.example.com/b', events: ['registration.updated'] });
  const { id } = await post(ask, hooks, { url: 'https://hooks.example.com/a', events: ['registration.updated'] });
  for (const _ of [1, 2]) await post(ask, `${hooks}/${id}/test`, {});
  await post(ask, '/v1/keys/roll', {}, { 'Idempotency-Key': 'roll' });
  const private_key = generatePrivateKey();
  await post(ask, '/v1/sessions', { ex_wallet: privateKeyToAddress(private_key), private_key });
  const made = await post(ask, '/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
  const subaccount_id = made.subaccount.subaccount_id;
  const headers = { 'Trader-ID': String(subaccount_id) };
  await trade(ask, '/v1/orders/netvenue', headers);
  await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED', settlements });
  for (const [pair, price] of [
    ['BTC', '50000'],
    ['ETH', '1000'],
  ]) {
    const order = { pair, side: 'long', size: '0.05' };
    await post(ask, '/v1/orders/exvenue', { ...order, order_type: 'market' }, { 'Trader-ID': wallet });
    await post(ask, '/v1/orders/exvenue', { ...order, order_type: 'limit', price }, { 'Trader-ID': wallet });
  }
  const ofSubaccount = (path: string) => ({ ask: asking(service.url, { ...bearer(key), ...headers }), path });
  const ofWallet = (path: string) => ({ ask: asking(service.url, { ...bearer(key), 'Trader-ID': wallet }), path });
  return {
    listSessions: { ask, path: '/v1/sessions' },
    listOwnKeys: { ask, path: '/v1/keys' },
    listPartnerEvents: { ask, path: '/v1/events' },
    listPartnerRequests: { ask, path: '/v1/requests?operation=createPartnerWebhookEndpoint' },
    listPartnerStatement: { ask, path: '/v1/statements' },
    listPartnerWebhookEndpoints: { ask, path: hooks },
    listPartnerWebhookDeliveries: { ask, path: `${hooks}/${id}/deliveries` },
    listNetvenueOrders: ofSubaccount('/v1/orders/netvenue'),
    listExvenueOrders: ofWallet('/v1/orders/exvenue'),
    listExvenuePositions: ofWallet('/v1/positions/exvenue'),
    listNetvenuePositions: ofSubaccount('/v1/positions/netvenue'),
    listRules: ofSubaccount('/v1/rules'),
    listPayouts: ofSubaccount('/v1/payouts'),
    listClosedPositions: ofSubaccount('/v1/history/positions'),
    listFilledOrders: ofSubaccount('/v1/history/orders'),
  };
}

async function fillUser(ask: Ask, prop_account_id: string): Promise<void> {
  for (const version of ['1', '2']) {
    await post(ask, '/v2/agreements/sign', { agreement_version: version, signature_name: 'Ada' });
    await post(ask, '/v2/api-keys', { label: version, prop_account_id });
  }
  await trade(ask, '/v2/trading/orders');
}

/** Endpoints, events and deliveries of the app, and another session of the user. */
async function fillApp({ db }: Trading, ask: Ask, user: { email: string; userId: string }): Promise<string> {
  await post(ask, '/v2/auth/login', { email: user.email, password: PASSWORD });
  const ids: string[] = [];
  for (const url of ['https://hooks.example.com/a', 'https://hooks.example.com/b'])
    ids.push((await post(ask, '/v2/webhook-endpoints', { url, events: ['*'] })).id);
  for (const n of [1, 2])
    await post(ask, '/v2/notifications/send', {
      user_id: user.userId,
      subject: 's',
      html: 'h',
      fanout_event: `a.${n}`,
    });
  await eventually(async () => (await done(ask('GET', `/v2/webhook-endpoints/${ids[0]}/deliveries`))).length === 2);
  await db.query(sql.unsafe`
    update webhook_deliveries set state = 'failed', ended_at = now(), lane = null
    where endpoint_id = ${ids[1] as string}`);
  return ids[0] as string;
}

async function fillOperators(service: Trading, operator: Ask): Promise<string> {
  for (const _ of [1, 2]) {
    const request = { company_name: 'Acme', slug: fresh('acme'), contact_email: 'a@example.com', use_case: 'x' };
    await post(service.ask, '/v2/app-requests', request);
  }
  await post(operator, '/v2/admin/partners', { name: 'Another' });
  const { partner_id } = await post(operator, '/v2/admin/partners', { name: 'Partner' });
  await post(operator, `/v2/admin/partners/${partner_id}/keys`, {});
  return partner_id;
}

const subaccountOf = async (ask: Ask, account: string): Promise<number> =>
  (await done(ask('GET', `/v2/payments/prop-accounts/${account}`))).subaccount_id;
