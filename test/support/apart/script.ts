import { type Ask, type Data, PASSWORD } from '../identity.ts';
import { eventually, tier25k, tierDemo } from '../money.ts';
import { limit, market } from '../orders.ts';
import { until } from '../processes.ts';
import { readStream } from '../stream.ts';
import type { Observer } from './observer.ts';
import { EMAIL, type Side, WALLET, WALLET_KEY } from './side.ts';

/** The names that both tenants give to their orders. */
export const NAMES = [1, 2, 3, 4, 5].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
  string,
];
const PAIR = { trade_pair: 'BTCUSDC' };
const far = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' };

/** What a tenant's webhooks are signed with. */
type Signed = { secret: string };

/** A step of a script: a request under an Idempotency-Key that everybody uses, whose response is noted. */
const stepper =
  (seen: Observer) =>
  async (label: string, ask: Ask, method: string, path: string, json?: object, headers: object = {}): Promise<Data> => {
    const key = keyOf(label);
    const reply = await ask(method, path, {
      headers: { ...(method !== 'GET' && { 'Idempotency-Key': key }), 'X-Request-Id': key, ...headers },
      ...(json && { json }),
    });
    seen.reply(label, reply);
    return reply;
  };

/** The Idempotency-Key of a step. */
export const keyOf = (label: string): string => `key-of-${label.replace(/\W/g, '-')}`;

/** Waits for the event about a position: executions that are read together make one. */
const toldOf = (partner: Ask, change: string) =>
  eventually(async () => {
    const { body } = await partner('GET', '/v1/events?limit=500');
    return body.some(({ data }: { data: { change?: string } }) => data.change === change);
  }, 60_000);

/** A partner trades at both venues. */
export async function tradeAsPartner({ partner, receiver, service }: Side, seen: Observer): Promise<Signed> {
  const step = stepper(seen);
  await step('enroll', partner, 'POST', '/v1/sessions', { ex_wallet: WALLET, private_key: WALLET_KEY, label: 'mine' });
  await step('sessions', partner, 'GET', '/v1/sessions');
  const { body: registered } = await step('register', partner, 'POST', '/v1/register/netvenue', {
    asset_class: 'crypto',
    account_size: 10_000,
  });
  const trader = String(registered.subaccount.subaccount_id);
  const T = { 'Trader-ID': trader };
  const W = { 'Trader-ID': WALLET };
  const hook = { url: `${receiver.url}/hook`, events: ['*'], description: 'mine' };
  const { body: endpoint } = await step('endpoint', partner, 'POST', '/v1/webhook-endpoints', hook);
  await step('endpoint test', partner, 'POST', `/v1/webhook-endpoints/${endpoint.id}/test`);
  const at = '/v1/orders/netvenue';
  for (const again of ['', ' again'])
    seen.reply(
      `market${again}`,
      await partner('POST', at, {
        json: market({ order_uuid: NAMES[0] }),
        headers: { ...T, 'Idempotency-Key': 'market' },
      }),
    );
  await step(
    'limit',
    partner,
    'POST',
    at,
    limit({ trade_pair: 'ETHUSDC', limit_price: 1_000, order_uuid: NAMES[1] }),
    T,
  );
  await step('edit', partner, 'POST', `${at}/${NAMES[1]}/edit`, { trade_pair: 'ETHUSDC', limit_price: 1_001 }, T);
  await step('order', partner, 'GET', `${at}/${NAMES[1]}`, undefined, T);
  await step('exits', partner, 'POST', `${at}/tp-sl`, { ...PAIR, take_profit: 130_000 }, T);
  await step('orders', partner, 'GET', at, undefined, T);
  await step('cancel', partner, 'DELETE', `${at}/${NAMES[1]}?trade_pair=ETHUSDC`, undefined, T);
  await step('positions', partner, 'GET', '/v1/positions/netvenue', undefined, T);
  await step('close', partner, 'POST', `${at}/close`, PAIR, T);
  const ex = '/v1/orders/exvenue';
  await step('ex limit', partner, 'POST', ex, { ...far, client_order_id: NAMES[2] }, W);
  await step('ex orders', partner, 'GET', ex, undefined, W);
  await step('ex order', partner, 'GET', `${ex}/${NAMES[2]}`, undefined, W);
  await step('ex cancel', partner, 'DELETE', `${ex}/${NAMES[2]}`, undefined, W);
  await step(
    'ex market',
    partner,
    'POST',
    ex,
    { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market', client_order_id: NAMES[3] },
    W,
  );
  await toldOf(partner, 'opened');
  await step('ex positions', partner, 'GET', '/v1/positions/exvenue', undefined, W);
  await step('ex close', partner, 'POST', `${ex}/close`, { pair: 'BTC' }, W);
  await toldOf(partner, 'closed');
  await step('ex nothing to close', partner, 'POST', `${ex}/close`, { pair: 'SOL' }, W);
  for (const path of ['/v1/balance', '/v1/balance/limits', '/v1/rules', '/v1/payouts', '/v1/payouts/pending'])
    await step(`of trader ${path}`, partner, 'GET', path, undefined, T);
  await step(
    'validate',
    partner,
    'POST',
    '/v1/rules/validate',
    { venue: 'exvenue', pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' },
    W,
  );
  await step('search', partner, 'GET', `/v1/search?q=${NAMES[0]}`);
  await step('roll', partner, 'POST', '/v1/keys/roll', { overlap_seconds: 600 });
  await step('keys', partner, 'GET', '/v1/keys');
  const { body: ticket } = await step('ticket', partner, 'POST', '/v1/stream-tickets');
  const reader = await readStream(`${service.url}/v1/stream?ticket=${ticket.ticket}`, {});
  await until('the snapshot', () => reader.events[0] ?? null);
  seen.reply(
    'ticket again',
    await partner('GET', `/v1/stream?ticket=${ticket.ticket}`, { headers: { Authorization: '' } }),
  );
  seen.entries('snapshot', [reader.events[0]?.type]);
  reader.drop();
  return { secret: endpoint.secret };
}

/** An app and its user. */
export async function tradeAsApp({ app, user, receiver, service }: Side, seen: Observer): Promise<Signed> {
  const step = stepper(seen);
  const credentials = { email: EMAIL, password: PASSWORD };
  const hook = { url: `${receiver.url}/hook`, events: ['*'], description: 'mine' };
  const { body: endpoint } = await step('app endpoint', app, 'POST', '/v2/webhook-endpoints', hook);
  await step('app me', app, 'GET', '/v2/apps/me');
  await step('user me', user, 'GET', '/v2/auth/me');
  await step('sign up again', app, 'POST', '/v2/auth/signup', credentials);
  await step('wrong password', app, 'POST', '/v2/auth/login', { ...credentials, password: 'wrong horse battery' });
  await step('log in', app, 'POST', '/v2/auth/login', credentials);
  await step('wrong code', app, 'POST', '/v2/auth/verify-email', { email: EMAIL, code: '000000' });
  await step('reset', app, 'POST', '/v2/auth/password-reset/request', { email: EMAIL });
  await step('sessions of user', user, 'GET', '/v2/auth/sessions');
  const { body: free } = await step('free account', user, 'POST', '/v2/payments/free', tierDemo);
  const X = { 'X-Prop-Account': free.id };
  const accountIs = (id: string | null, ...wanted: string[]) =>
    eventually(async () => {
      const { body } = await user('GET', '/v2/payments/prop-accounts');
      return body.find(
        (each: { id: string; status: string }) =>
          (id === null ? each.id !== free.id : each.id === id) && wanted.includes(each.status),
      );
    });
  await accountIs(free.id, 'evaluation');
  const { body: checkout } = await step('checkout', user, 'POST', '/v2/payments/checkout', tier25k);
  await service.control('payment', { id: checkout.processor_payment_intent_id, to: 'succeeded' });
  await accountIs(null, 'evaluation');
  await step('payment', user, 'GET', `/v2/payments/${checkout.payment_id}`);
  await step('accounts', user, 'GET', '/v2/payments/prop-accounts');
  await step('sync', user, 'POST', `/v2/lifecycle/sync/${free.id}`);
  const at = '/v2/trading';
  await step('app market', user, 'POST', `${at}/orders`, market({ order_uuid: NAMES[0] }), X);
  await step(
    'app limit',
    user,
    'POST',
    `${at}/orders`,
    limit({ trade_pair: 'ETHUSDC', limit_price: 1_000, order_uuid: NAMES[1] }),
    X,
  );
  for (const path of ['/orders', `/orders/${NAMES[1]}`, '/positions', '/balance', '/rules'])
    await step(`of account ${path}`, user, 'GET', at + path, undefined, X);
  const { body: key } = await step('api key', user, 'POST', '/v2/api-keys', { label: 'bot', prop_account_id: free.id });
  seen.reply('by key', await service.ask('GET', `${at}/orders`, { headers: { 'X-Api-Key': key.api_key } }));
  await step('app cancel', user, 'DELETE', `${at}/orders/${NAMES[1]}?trade_pair=ETHUSDC`, undefined, X);
  await step('app close', user, 'POST', `${at}/orders/close`, PAIR, X);
  await step('sign', user, 'POST', '/v2/agreements/sign', { agreement_version: '1', signature_name: 'Ann' });
  await step('signed', user, 'GET', '/v2/agreements/status');
  await step('audits', user, 'GET', '/v2/agreements/audits');
  await step('notify', app, 'POST', '/v2/notifications/send', {
    email: EMAIL,
    subject: 'Hello',
    html: '<p>Hi</p>',
    fanout_event: 'kyc.updated',
    payload: { mine: true },
  });
  await step('verify', user, 'POST', '/v2/kyc/processor-identity/session');
  await step('kyc', user, 'GET', '/v2/kyc/status');
  await step('connect', user, 'POST', '/v2/connect/accounts', { country: 'US' });
  await step('connected', user, 'GET', '/v2/connect/accounts');
  for (const path of ['/v2/payouts', '/v2/payouts/estimate', '/v2/api-keys'])
    await step(`of user ${path}`, user, 'GET', path);
  const { body: ticket } = await step('app ticket', user, 'POST', '/v2/stream-tickets', undefined, X);
  const reader = await readStream(`${service.url}/v2/trading/stream?ticket=${ticket.ticket}`, {});
  await until('the snapshot', () => reader.events[0] ?? null);
  seen.entries('app snapshot', [reader.events[0]?.type, Object.keys(reader.events[0]?.data ?? {})]);
  reader.drop();
  return { secret: endpoint.secret };
}
