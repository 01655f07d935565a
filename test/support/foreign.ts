import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { type Ask, asking, bearer, type TestApp, type TestUser } from './identity.ts';
import { accountIn, checkOut, eventually, type Money, tierDemo } from './money.ts';
import type { Kind } from './named-ids.ts';
import { limit, market } from './orders.ts';
import type { Trading } from './trading.ts';

const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');
const RETURN_URLS = {
  connect_return_url: 'https://example.com/back',
  connect_refresh_url: 'https://example.com/again',
};

/** A user with everything that a payout needs: real ids that another user may try. */
export type Earner = TestUser & { account: string; connect: string; payout: string };

/** An app that may do everything, its users be paid out included. */
export async function appForPayouts(service: Money): Promise<TestApp> {
  const app = await service.app(['*']);
  await (await service.admin()).ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: RETURN_URLS });
  return app;
}

export const requestPayout = (ask: Ask, prop_account_id: string) =>
  ask('POST', '/v2/payouts/request', { json: { amount_cents: 1_000, prop_account_id } });

/** Verified, connected, and with 500 dollars earned on a funded account, of which 10 are requested. */
export async function earner(service: Money, app: TestApp): Promise<Earner> {
  const user = await service.user(app);
  const { userId } = user;
  await user.ask('POST', '/v2/payments/free', { json: tierDemo });
  const account = await accountIn(user.ask, 'evaluation');
  const connect = `acct_${userId}`;
  await service.db.query(sql.unsafe`
    insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
    values (${userId}, ${app.appId}, 'processor_identity', ${`vs_${userId}`}, 'verified', now())`);
  await service.db.query(sql.unsafe`
    insert into connect_accounts (id, owner, user_id, processor_account_id, country, payouts_enabled, charges_enabled, details_submitted)
    values (${`con_${userId}`}, ${app.appId}, ${userId}, ${connect}, 'US', true, true, true)`);
  await service.network({
    subaccount_id: account.subaccount_id,
    bucket: 'SUBACCOUNT_FUNDED',
    settlements: [{ start_ms: MONDAY_MS, end_ms: MONDAY_MS + 1, payout: 500 }],
  });
  await user.ask('POST', `/v2/lifecycle/sync/${account.id}`);
  await accountIn(user.ask, 'funded');
  const requested = await requestPayout(user.ask, account.id);
  if (requested.status !== 200) throw new Error(JSON.stringify(requested.body));
  return { ...user, account: account.id, connect, payout: requested.body.id };
}

/** A tenant with one id of every kind of its side, and a caller with its credentials. */
export type Tenant = { ask: Ask; app?: Ask; key?: Ask; ids: Partial<Record<Kind, string>> };

const created = async (reply: ReturnType<Ask>) => {
  const { status, body } = await reply;
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};

/** A partner with a subaccount, a wallet, and an order that rests at each venue. */
export async function partnerWithIds(service: Trading): Promise<Tenant> {
  const { key, wallet } = await service.wallet();
  const ask = asking(service.url, bearer(key));
  const post = (path: string, json: object, id?: string) =>
    created(ask('POST', path, { json, ...(id && { headers: { 'Trader-ID': id } }) }));
  const { subaccount } = await post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
  const subaccountId = String(subaccount.subaccount_id);
  await post('/v1/orders/netvenue', market(), subaccountId);
  const { order_uuid } = await post(
    '/v1/orders/netvenue',
    limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 }),
    subaccountId,
  );
  const rests = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' };
  const { ex_order_id } = await post('/v1/orders/exvenue', rests, wallet);
  const url = 'https://hooks.example.com/x';
  const endpoint = await created(ask('POST', '/v1/webhook-endpoints', { json: { url, events: ['*'] } }));
  const delivery = await created(ask('POST', `/v1/webhook-endpoints/${endpoint.id}/test`));
  const [event] = await created(ask('GET', '/v1/events'));
  const [line] = await created(ask('GET', '/v1/statements'));
  const [own] = await created(ask('GET', '/v1/keys'));
  const [{ ex_wallet, created_at }] = await created(ask('GET', '/v1/sessions'));
  return {
    ask,
    ids: {
      subaccount: subaccountId,
      wallet,
      enrollment: `${created_at} ${ex_wallet}`,
      'network order': order_uuid,
      'partner intent': order_uuid,
      'exchange order': String(ex_order_id),
      'partner event': event.id,
      'partner line': line.id,
      'partner endpoint': endpoint.id,
      'partner delivery': delivery.id,
      'partner key': own.key_id,
    },
  };
}

/** A user of an app with one id of everything that users and apps own. */
export async function userWithIds(service: Trading, app: TestApp): Promise<Tenant> {
  const user = await earner(service, app);
  const { ask } = user;
  const endpoint = await created(
    app.ask('POST', '/v2/webhook-endpoints', { json: { url: 'https://hooks.example.com/x', events: ['*'] } }),
  );
  const { payment_id } = await checkOut(ask);
  await created(ask('POST', '/v2/trading/orders', { json: market() }));
  const rests = limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 });
  const { order_uuid } = await created(ask('POST', '/v2/trading/orders', { json: rests }));
  const fanOut = { user_id: user.userId, subject: 's', html: 'h', fanout_event: 'payment.failed' };
  await created(app.ask('POST', '/v2/notifications/send', { json: fanOut }));
  const delivery = await eventually(async () => {
    const { body } = await app.ask('GET', `/v2/webhook-endpoints/${endpoint.id}/deliveries`);
    return body[0];
  });
  await created(ask('POST', '/v2/agreements/sign', { json: { agreement_version: '1', signature_name: 'Ada' } }));
  const trader = await created(ask('POST', '/v2/api-keys', { json: { label: 'bot', prop_account_id: user.account } }));
  const [[event], [line], [signature], [session], [position], [secret]] = await Promise.all(
    (
      [
        [app.ask, '/v2/events'],
        [app.ask, '/v2/statements'],
        [ask, '/v2/agreements/audits'],
        [ask, '/v2/auth/sessions'],
        [ask, '/v2/trading/positions'],
        [app.ask, '/v2/apps/me/secrets'],
      ] as const
    ).map(async ([reader, path]) => created(reader('GET', path))),
  );
  return {
    ask,
    app: app.ask,
    key: asking(service.url, { 'X-Api-Key': trader.api_key }),
    ids: {
      user: user.userId,
      account: user.account,
      connect: user.connect,
      payout: user.payout,
      payment: payment_id,
      endpoint: endpoint.id,
      delivery: delivery.id,
      event: event.id,
      line: line.id,
      signature: signature.id,
      session: session.session_id,
      'api key': trader.id,
      'client secret': secret.secret_id,
      'trading order': order_uuid,
      'trading intent': order_uuid,
      'app intent': order_uuid,
      position: position.position_uuid,
    },
  };
}

/** Ids of the same form that nobody has. */
export const NOBODYS: Record<Kind, string> = {
  subaccount: '999999',
  wallet: `0x${'9a'.repeat(20)}`,
  enrollment: `2026-01-05T00:00:00.000Z 0x${'9a'.repeat(20)}`,
  'network order': randomUUID(),
  'exchange order': '999999999',
  'partner intent': randomUUID(),
  'partner line': `stl_${'p'.repeat(32)}`,
  line: `stl_${'n'.repeat(32)}`,
  'partner event': `evt_${'p'.repeat(22)}`,
  'partner endpoint': `whe_${'p'.repeat(22)}`,
  'partner delivery': `whd_${'p'.repeat(22)}`,
  'partner key': `pky_${'p'.repeat(22)}`,
  'client secret': `sec_${'n'.repeat(22)}`,
  'app intent': randomUUID(),
  'trading order': randomUUID(),
  'trading intent': randomUUID(),
  position: randomUUID(),
  session: `uss_${'n'.repeat(22)}`,
  payment: `pay_${'n'.repeat(22)}`,
  account: `prop_${'n'.repeat(22)}`,
  connect: 'acct_nobody',
  payout: `po_${'n'.repeat(22)}`,
  endpoint: `whe_${'n'.repeat(22)}`,
  delivery: `whd_${'n'.repeat(22)}`,
  event: `evt_${'n'.repeat(22)}`,
  signature: `agr_${'n'.repeat(22)}`,
  'api key': `key_${'n'.repeat(22)}`,
  user: `usr_${'n'.repeat(22)}`,
};
