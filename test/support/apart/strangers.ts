import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import { newId, newIntentId, newSecret } from '../../../src/kernel/ids.ts';
import { type Ask, bearer } from '../identity.ts';
import { market } from '../orders.ts';
import { until } from '../processes.ts';
import { readStream } from '../stream.ts';
import type { Observer } from './observer.ts';
import type { Side } from './side.ts';

/** Lists that go on where a cursor says. Requests are not among them: each tenant's are numbered from 1. */
const PAGED = {
  v1: ['events', 'keys', 'sessions', 'statements', 'webhook-endpoints'],
  v2: ['events', 'finance/payments', 'statements', 'webhook-endpoints'],
  user: ['agreements/audits', 'api-keys', 'auth/sessions', 'payments/prop-accounts', 'connect/accounts'],
};

const timed = (prefix: string) => `${prefix}_${newIntentId().replaceAll('-', '')}`;
const uuid = () => randomUUID() as string;

/** How an id of each kind looks that is nobody's. */
const NOBODYS = {
  intent: (): string => newIntentId(),
  order: uuid,
  event: () => timed('evt'),
  endpoint: () => newId('whe'),
  delivery: () => timed('whd'),
  partner_key: () => newId('pky'),
  payment: () => newId('pay') as string,
  account: () => newId('prop') as string,
  api_key: () => newId('key'),
  user: () => newId('usr') as string,
  session: () => newId('uss'),
  subaccount: uuid,
  payout_account: () => `acct_${randomBytes(8).toString('hex')}`,
};

/** Ids that are not a tenant's own, and what it is not to have: a session of a user, tickets of streams, and cursors by their list. */
export type Foreign = {
  ids: Record<keyof typeof NOBODYS, string>;
  session: string;
  tickets: { partner: string; account: string };
  cursors: Record<string, string>;
};

/** Ids and cursors that are nobody's. */
export const nobodys = (): Foreign => ({
  ids: Object.fromEntries(Object.entries(NOBODYS).map(([kind, make]) => [kind, make()])) as Foreign['ids'],
  session: newSecret('sess'),
  tickets: { partner: newSecret('stk'), account: newSecret('stk') },
  cursors: {},
});

/** Ids and cursors of a tenant, for another one to use. */
export async function foreignOf(side: Side): Promise<Foreign> {
  const { partnerId, appId, userId, session, service } = side;
  const ids = { ...nobodys().ids };
  const owners = sql.array([partnerId, appId, userId], 'text');
  const found = await service.db.any(sql.type(z.object({ kind: z.string(), id: z.string() }))`
    (select 'intent' as kind, id::text as id from intents where owner = any(${owners}) limit 1)
    union all (select 'order', id::text from orders where owner = any(${owners}) and not is_resting limit 1)
    union all (select 'event', id from events where owner = any(${owners}) order by id limit 1)
    union all (select 'endpoint', id from webhook_endpoints where partner_id = any(${owners}) limit 1)
    union all (select 'delivery', id from webhook_deliveries where owner = any(${owners}) limit 1)
    union all (select 'partner_key', id from partner_keys where partner_id = any(${owners}) limit 1)
    union all (select 'payment', id from payments where user_id = any(${owners}) limit 1)
    union all (select 'account', id from prop_accounts where user_id = any(${owners}) limit 1)
    union all (select 'api_key', id from trader_keys where user_id = any(${owners}) limit 1)
    union all (select 'session', id from user_sessions where user_id = any(${owners}) limit 1)
    union all (select 'subaccount', subaccount_uuid::text from subaccounts where owner = any(${owners}) limit 1)
    union all (select 'payout_account', processor_account_id from connect_accounts where user_id = any(${owners}) limit 1)
    union all select 'user', ${userId}`);
  for (const { kind, id } of found) ids[kind as keyof typeof ids] = id;
  const cursors: Record<string, string> = {};
  for (const { path, ask } of lists(side)) {
    const { headers } = await ask('GET', `${path}?limit=1`);
    const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];
    if (cursor) cursors[path] = decodeURIComponent(cursor);
  }
  const headers = { 'X-Prop-Account': ids.account };
  const tickets = {
    partner: (await side.partner('POST', '/v1/stream-tickets')).body.ticket,
    account: (await side.user('POST', '/v2/stream-tickets', { headers })).body.ticket,
  };
  return { ids, session, tickets, cursors };
}

const lists = ({ partner, app, user }: Side) => [
  ...PAGED.v1.map((list) => ({ path: `/v1/${list}`, ask: partner })),
  ...PAGED.v2.map((list) => ({ path: `/v2/${list}`, ask: app })),
  ...PAGED.user.map((list) => ({ path: `/v2/${list}`, ask: user })),
];

/** A tenant uses what is not its own wherever it can name something. */
export async function useForeign(
  side: Side,
  { ids, session, tickets, cursors }: Foreign,
  seen: Observer,
): Promise<void> {
  const { partner, app, user, service, partnerKey } = side;
  for (const [kind, id] of Object.entries(ids)) seen.name(id, `<foreign ${kind}>`);
  seen.name(session, '<foreign session token>');
  const say = (text: string) =>
    Object.entries({ ...ids, token: session }).reduce((now, [kind, id]) => now.replaceAll(id, kind), text);
  const use = async (ask: Ask, methods: string, path: string, json?: object, headers: object = {}) => {
    for (const method of methods.split(' '))
      seen.reply(
        `foreign ${method} ${say(`${path} ${JSON.stringify(headers)}`)}`,
        await ask(method, path, { headers: { 'X-Request-Id': 'foreign', ...headers }, ...(json && { json }) }),
      );
  };
  for (const { path, ask } of lists(side)) {
    const cursor = cursors[path] ?? randomBytes(12).toString('base64url');
    const reply = await ask('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
    seen.name(cursor, '<foreign cursor>');
    seen.reply(`foreign cursor of ${path}`, reply);
  }
  const edit = { trade_pair: 'ETHUSDC', limit_price: 999 };
  const at = '/v1/orders/netvenue';
  for (const [ask, version] of [
    [partner, 'v1'],
    [app, 'v2'],
  ] as const) {
    await use(ask, 'GET HEAD', `/${version}/intents/${ids.intent}`);
    await use(ask, 'GET', `/${version}/webhook-endpoints/${ids.endpoint}/deliveries`);
    await use(ask, 'POST', `/${version}/webhook-endpoints/${ids.endpoint}/test`);
    await use(ask, 'POST', `/${version}/webhook-endpoints/${ids.endpoint}/recover`, { since: '2026-01-01T00:00:00Z' });
    await use(ask, 'POST', `/${version}/webhook-endpoints/${ids.endpoint}/rotate-secret`, {});
    await use(ask, 'PATCH', `/${version}/webhook-endpoints/${ids.endpoint}`, { description: 'mine' });
    await use(ask, 'DELETE', `/${version}/webhook-endpoints/${ids.endpoint}`);
    await use(ask, 'GET', `/${version}/webhook-deliveries/${ids.delivery}`);
    await use(ask, 'POST', `/${version}/webhook-deliveries/${ids.delivery}/redeliver`);
    await use(ask, 'GET', `/${version}/events?after=${ids.event}`);
    for (const id of Object.values(ids)) await use(ask, 'GET', `/${version}/search?q=${id}`);
    for (const id of [ids.account, ids.subaccount]) await use(ask, 'GET', `/${version}/statements?trader_id=${id}`);
  }
  await use(partner, 'GET HEAD', `${at}/${ids.order}`);
  await use(partner, 'POST', `${at}/${ids.order}/edit`, edit);
  await use(partner, 'DELETE', `${at}/${ids.order}?trade_pair=ETHUSDC`);
  await use(partner, 'GET DELETE', `/v1/orders/exvenue/${ids.order}`);
  await use(partner, 'DELETE', `/v1/keys/${ids.partner_key}`);
  for (const trader of [ids.subaccount, ids.account]) {
    const headers = { 'Trader-ID': trader };
    for (const path of [
      at,
      '/v1/positions/netvenue',
      '/v1/balance',
      '/v1/rules',
      '/v1/payouts',
      '/v1/history/positions',
    ])
      await use(partner, 'GET', path, undefined, headers);
    await use(partner, 'POST', at, market({ order_uuid: '00000000-0000-4000-8000-000000000009' }), headers);
  }
  for (const ask of [app, user]) {
    const headers = { 'X-Prop-Account': ids.account };
    for (const path of ['orders', 'positions', 'balance', 'history', `orders/${ids.order}`, `intents/${ids.intent}`])
      await use(ask, 'GET', `/v2/trading/${path}`, undefined, headers);
    await use(
      ask,
      'POST',
      '/v2/trading/orders',
      market({ order_uuid: '00000000-0000-4000-8000-000000000009' }),
      headers,
    );
    await use(ask, 'POST', '/v2/stream-tickets', undefined, headers);
    await use(ask, 'GET', `/v2/payments/${ids.payment}`);
    await use(ask, 'GET', `/v2/payments/prop-accounts/${ids.account}`);
    await use(ask, 'GET', `/v2/payments/prop-accounts?user_id=${ids.user}`);
    await use(ask, 'POST', `/v2/lifecycle/sync/${ids.account}`);
    await use(ask, 'POST', '/v2/payouts/request', { amount_cents: 1_000, prop_account_id: ids.account });
    await use(ask, 'POST', '/v2/api-keys', { label: 'bot', prop_account_id: ids.account });
    await use(ask, 'DELETE', `/v2/api-keys/${ids.api_key}`);
    await use(ask, 'POST', `/v2/connect/accounts/${ids.payout_account}/onboarding-link`);
    await use(ask, 'DELETE', `/v2/connect/accounts/${ids.payout_account}`);
    for (const which of [{ session_id: ids.session }, { session_token: session }])
      await use(ask, 'POST', '/v2/auth/sessions/revoke', which);
    await use(ask, 'GET', `/v2/agreements/audits?user_id=${ids.user}`);
  }
  await use(app, 'POST', '/v2/notifications/send', { user_id: ids.user, subject: 'Hello', html: '<p>Hi</p>' });
  await use(app, 'GET', '/v2/auth/me', undefined, { 'X-Session-Token': session });
  const asPartner = bearer(partnerKey);
  const reader = await readStream(`${service.url}/v1/stream`, { ...asPartner, 'Last-Event-ID': ids.event });
  seen.entries('foreign Last-Event-ID', [reader.status, reader.headers['content-type']]);
  reader.drop();
  const { body: accounts } = await user('GET', '/v2/payments/prop-accounts');
  const asUser = { ...bearer(side.token), 'X-Session-Token': side.session, 'X-Prop-Account': accounts[0].id };
  for (const [kind, ticket] of Object.entries(tickets))
    for (const [path, own] of [
      ['/v1/stream', asPartner],
      ['/v2/trading/stream', asUser],
    ] as const) {
      const opened = await readStream(`${service.url}${path}?ticket=${ticket}`, own);
      const { type, data } = await until('the snapshot', () => opened.events[0] ?? null);
      seen.entries(`foreign ticket of ${kind} at ${path}`, [
        ...[opened.status, opened.headers['content-type'], type],
        ...[data.partner_id, data.prop_account_id],
      ]);
      opened.drop();
    }
}
