import { sql } from 'slonik';
import { type Ask, type Data, PASSWORD } from '../identity.ts';
import { tier25k, tierDemo } from '../money.ts';
import { limit, market } from '../orders.ts';
import { readStream } from '../stream.ts';
import { keyOf, NAMES } from './script.ts';
import { EMAIL, type Side, WALLET, WALLET_KEY } from './side.ts';

/** What only the hostile tenant writes. */
export const MARK = 'hostile';

const KEYED = [
  'enroll',
  'register',
  'endpoint',
  'limit',
  'edit',
  'cancel',
  'close',
  'ex limit',
  'ex cancel',
  'app limit',
];

/** A busy tenant that knows every id of another one, and has the same names and keys. */
export type Hostile = { stop(): Promise<void>; acts(): number; served(): number };

/** Begins to act. `known`: the other's ids as they are by then. */
export async function actHostile(side: Side, known: () => string[]): Promise<Hostile> {
  const { partner, app, user, receiver, service } = side;
  let [acts, served, stopped] = [0, 0, false];
  const send = async (ask: Ask, method: string, path: string, json?: object, headers: object = {}): Promise<Data> => {
    const key = keyOf(KEYED[acts % KEYED.length] ?? '');
    const reply = await ask(method, path, {
      headers: { ...(method !== 'GET' && { 'Idempotency-Key': key }), ...headers },
      ...(json && { json }),
    });
    acts += 1;
    if (reply.status < 300) served += 1;
    return reply;
  };
  await send(partner, 'POST', '/v1/sessions', { ex_wallet: WALLET, private_key: WALLET_KEY, label: MARK });
  const { body } = await send(partner, 'POST', '/v1/register/netvenue', {
    asset_class: 'crypto',
    account_size: 10_000,
  });
  const T = { 'Trader-ID': String(body.subaccount.subaccount_id) };
  const W = { 'Trader-ID': WALLET };
  const { body: free } = await send(user, 'POST', '/v2/payments/free', tierDemo);
  const X = { 'X-Prop-Account': free.id };
  const hook = { url: `${receiver.url}/hook`, events: ['*'], description: MARK };
  await send(partner, 'POST', '/v1/webhook-endpoints', hook);
  await send(app, 'POST', '/v2/webhook-endpoints', hook);

  const any = (kind = '') => {
    const ids = known().filter((id) => id.startsWith(kind));
    return ids[(acts * 7) % Math.max(1, ids.length)] ?? NAMES[0];
  };
  const name = () => NAMES[acts % NAMES.length] ?? NAMES[0];
  const stream = async (path: string, headers: Record<string, string>) => {
    const reader = await readStream(`${service.url}${path}`, headers).catch(() => null);
    reader?.drop();
  };
  const at = '/v1/orders/netvenue';
  const ex = '/v1/orders/exvenue';
  const trading = '/v2/trading';
  const ways: (() => Promise<unknown>)[] = [
    () => send(partner, 'POST', at, market({ order_uuid: name(), leverage: 0.01 }), T),
    () => send(partner, 'POST', at, limit({ trade_pair: 'ETHUSDC', limit_price: 1_000, order_uuid: name() }), T),
    () => send(partner, 'POST', at, market({ order_uuid: name() }), { 'Trader-ID': any() }),
    () => send(partner, 'POST', `${at}/close`, { trade_pair: 'BTCUSDC' }, T),
    () => send(partner, 'GET', `${at}/${any()}`, undefined, T),
    () => send(partner, 'DELETE', `${at}/${any()}?trade_pair=ETHUSDC`, undefined, T),
    () => send(partner, 'POST', `${at}/${any()}/edit`, { trade_pair: 'ETHUSDC', limit_price: 999 }, T),
    () => send(partner, 'GET', `${at}?cursor=${any()}`, undefined, T),
    () => send(partner, 'GET', `/v1/intents/${any()}`),
    () => send(partner, 'GET', `/v1/events?after=${any('evt_')}`),
    () => send(partner, 'GET', `/v1/events?cursor=${any('evt_')}`),
    () => send(partner, 'GET', `/v1/statements?cursor=${any('stl_')}`),
    () => send(partner, 'GET', `/v1/search?q=${any()}`),
    () => send(partner, 'GET', '/v1/requests?request_id=market'),
    () => send(partner, 'PATCH', `/v1/webhook-endpoints/${any('whe_')}`, { description: MARK, active: false }),
    () => send(partner, 'DELETE', `/v1/webhook-endpoints/${any('whe_')}`),
    () => send(partner, 'POST', `/v1/webhook-endpoints/${any('whe_')}/rotate-secret`, { overlap_seconds: 0 }),
    () => send(partner, 'POST', `/v1/webhook-deliveries/${any('whd_')}/redeliver`),
    () => send(partner, 'DELETE', `/v1/keys/${any('pky_')}`),
    () => send(partner, 'GET', `${ex}/${any()}`, undefined, W),
    () => send(partner, 'DELETE', `${ex}/${name()}`, undefined, W),
    () =>
      send(
        partner,
        'POST',
        ex,
        { pair: 'NOPE', side: 'long', size: '1', order_type: 'market', client_order_id: name() },
        W,
      ),
    () => send(partner, 'POST', `${ex}/close`, { pair: 'SOL', client_order_id: name() }, W),
    () => send(partner, 'POST', `${ex}/tp-sl`, { pair: 'SOL', stop_loss: '1' }, W),
    async () => {
      await service.db.query(sql.unsafe`select pause_work(${side.partnerId}, true, 'op', 'asked')`);
      await send(partner, 'POST', `${ex}/close`, { pair: 'SOL' }, { ...W, Prefer: 'wait=1' });
      await service.db.query(sql.unsafe`select end_pause(${side.partnerId}, 'op', 'it is over')`);
    },
    () => send(partner, 'DELETE', `/v1/sessions/${WALLET}`),
    () => send(partner, 'POST', '/v1/sessions', { ex_wallet: WALLET, private_key: WALLET_KEY, label: MARK }),
    () => stream('/v1/stream', { ...bearerOf(side.partnerKey), 'Last-Event-ID': any('evt_') }),
    () => send(app, 'POST', '/v2/auth/login', { email: EMAIL, password: PASSWORD }),
    () => send(app, 'POST', '/v2/auth/login', { email: EMAIL, password: `${MARK} horse battery` }),
    () => send(app, 'POST', '/v2/auth/verify-email', { email: EMAIL, code: '000000' }),
    () => send(app, 'GET', '/v2/auth/me', undefined, { 'X-Session-Token': any() }),
    () =>
      send(app, 'POST', '/v2/auth/password-reset/confirm', {
        email: EMAIL,
        token: any(),
        new_password: `${MARK} new battery`,
      }),
    () => send(user, 'POST', '/v2/auth/sessions/revoke', { session_id: any('uss_') }),
    () => send(user, 'POST', '/v2/auth/sessions/revoke', { session_token: any() }),
    () => send(user, 'GET', `/v2/payments/${any('pay_')}`),
    () => send(user, 'GET', `/v2/payments/prop-accounts/${any('prop_')}`),
    () => send(user, 'POST', '/v2/payments/checkout', tier25k),
    () => send(user, 'POST', `/v2/lifecycle/sync/${any('prop_')}`),
    () => send(user, 'POST', '/v2/payouts/request', { amount_cents: 1_000, prop_account_id: any('prop_') }),
    () => send(user, 'POST', `/v2/connect/accounts/${any('acct_')}/onboarding-link`),
    () => send(user, 'DELETE', `/v2/connect/accounts/${any('acct_')}`),
    () => send(user, 'POST', '/v2/api-keys', { label: MARK, prop_account_id: any('prop_') }),
    () => send(user, 'POST', '/v2/api-keys', { label: MARK, prop_account_id: free.id }),
    () => send(user, 'POST', '/v2/connect/accounts', { country: 'US' }),
    () => send(user, 'POST', '/v2/kyc/processor-identity/session'),
    () => send(user, 'POST', '/v2/stream-tickets', undefined, X),
    () => send(user, 'DELETE', `/v2/api-keys/${any('key_')}`),
    () => send(user, 'POST', `${trading}/orders`, market({ order_uuid: name(), leverage: 0.01 }), X),
    () => send(user, 'POST', `${trading}/orders/close`, { trade_pair: 'BTCUSDC' }, X),
    () => send(app, 'POST', `${trading}/orders`, market({ order_uuid: name() }), { 'X-Prop-Account': any('prop_') }),
    () => send(app, 'GET', `${trading}/orders`, undefined, { 'X-Prop-Account': any('prop_') }),
    () => send(user, 'POST', '/v2/agreements/sign', { agreement_version: '1', signature_name: MARK }),
    () => send(user, 'GET', `/v2/agreements/audits?cursor=${any('agr_')}`),
    () =>
      send(app, 'POST', '/v2/notifications/send', {
        user_id: any('usr_'),
        subject: MARK,
        html: MARK,
        fanout_event: 'kyc.updated',
        payload: { [MARK]: 1 },
      }),
    () =>
      send(app, 'POST', '/v2/notifications/send', {
        subject: MARK,
        html: MARK,
        fanout_event: 'kyc.updated',
        payload: { [MARK]: 1 },
      }),
    () => send(app, 'PATCH', `/v2/webhook-endpoints/${any('whe_')}`, { url: `${receiver.url}/${MARK}` }),
    () => send(app, 'DELETE', `/v2/webhook-endpoints/${any('whe_')}`),
    () => send(app, 'GET', `/v2/intents/${any()}`),
    () => send(app, 'GET', `/v2/events?after=${any('evt_')}`),
    () => send(app, 'GET', `/v2/finance/payments?cursor=${any('pay_')}`),
    () => send(app, 'GET', `/v2/search?q=${any()}`),
    () => stream(`${trading}/stream`, { ...bearerOf(side.token), ...X, 'Last-Event-ID': `${any()}:1` }),
  ];

  const act = async (first: number) => {
    for (let n = first; !stopped; n += 2) await ways[n % ways.length]?.().catch(() => {});
  };
  const acting = [act(0), act(1)]; // two at once: the machine has two cores
  return {
    acts: () => acts,
    served: () => served,
    async stop() {
      stopped = true;
      await Promise.all(acting);
    },
  };
}

const bearerOf = (token: string) => ({ Authorization: `Bearer ${token}` });
