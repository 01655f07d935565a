import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { market } from '../orders.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const URL = 'https://hooks.example.com/x';
const hook = (more: object = {}) => ({ url: URL, events: ['*'], ...more });

/** Credentials, keys and webhook endpoints of partners and apps. */
export function callerScenes({ service, asking }: Stage): Scenes {
  const partner = async () => {
    const { key } = await service().partner();
    return { key, ask: asking(bearer(key)), setUp: byHand(service().url, bearer(key)), root: '/v1' };
  };
  const app = async () => {
    const { token, ask: setUp } = await service().app(['*']);
    return { ask: asking(bearer(token)), setUp, root: '/v2' };
  };
  return {
    async V1_KEY_INVALID() {
      const { key } = await service().partner();
      return renewed('tpk_none', key, (used, once) =>
        asking(bearer(used))('POST', '/v1/webhook-endpoints', keyed(once, hook())),
      );
    },
    async V1_KEY_SUPERSEDED() {
      const { key, setUp } = await partner();
      const { body } = await setUp('POST', '/v1/keys/roll', { json: {} });
      return renewed(key, body.key, (used, once) => asking(bearer(used))('POST', '/v1/keys/roll', keyed(once, {})));
    },
    async V2_SCOPE_MISSING() {
      const made = await service().app(['*']);
      const narrow = (await service().token(made, 'reads')).body.access_token;
      return renewed(narrow, made.token, (used, once) =>
        asking(bearer(used))('POST', '/v2/webhook-endpoints', keyed(once, hook())),
      );
    },
    async V2_SECRET_SUPERSEDED() {
      const made = await service().app(['*']);
      const rotated = await made.ask('POST', '/v2/apps/me/rotate-secret', { json: {} });
      const next = await service().token({ appId: made.appId, secret: rotated.body.client_secret });
      return renewed(made.token, next.body.access_token, (used, once) =>
        asking(bearer(used))('POST', '/v2/apps/me/rotate-secret', keyed(once, {})),
      );
    },
    async V2_API_KEY_INVALID() {
      const { api_key } = await (await service().propTrader()).key();
      return renewed('key_none.none', api_key, (used, once) =>
        asking({ 'X-Api-Key': used })('POST', '/v2/trading/orders', keyed(once, market())),
      );
    },
    async V2_API_KEY_ACCOUNT_MISMATCH() {
      const { api_key } = await (await service().propTrader()).key();
      const place = (more: Record<string, string>) => (once: string) =>
        asking({ 'X-Api-Key': api_key, ...more })('POST', '/v2/trading/orders', keyed(once, market()));
      return { send: place({ 'X-Prop-Account': `prop_${'n'.repeat(22)}` }), instead: place({}) };
    },
    async INTENT_UNKNOWN() {
      const { ask, setUp } = await partner();
      const made = await setUp('POST', '/v1/register/netvenue', {
        json: { asset_class: 'crypto', account_size: 10_000 },
      });
      return {
        send: () => ask('GET', '/v1/intents/0190b4ad-ac96-774b-bcce-000000000000'),
        instead: () => ask('GET', `/v1/intents/${made.headers.get('intent-id')}`),
      };
    },
    async V1_SESSION_UNKNOWN() {
      const { key, wallet } = await service().wallet();
      const read = (address: string) => () => asking(bearer(key))('GET', `/v1/sessions/${address}`);
      return { send: read(`0x${'9a'.repeat(20)}`), instead: read(wallet) };
    },
    async V1_KEY_UNUSABLE() {
      const { key, wallet: ex_wallet, privateKey } = await service().wallet();
      const enroll = (private_key: string) => (once: string) =>
        asking(bearer(key))('POST', '/v1/sessions', keyed(once, { ex_wallet, private_key }));
      return { send: enroll(`0x${'00'.repeat(32)}`), instead: enroll(privateKey) };
    },
    V1_WEBHOOK_UNKNOWN_EVENT: async () => unheard(await partner()),
    V2_WEBHOOK_UNKNOWN_EVENT: async () => unheard(await app()),
    V1_WEBHOOK_URL_FORBIDDEN: async () => forbidden(await partner()),
    V2_WEBHOOK_URL_FORBIDDEN: async () => forbidden(await app()),
    V1_WEBHOOK_ENDPOINT_UNKNOWN: async () => unknownEndpoint(await partner()),
    V2_WEBHOOK_ENDPOINT_UNKNOWN: async () => unknownEndpoint(await app()),
    V1_WEBHOOK_DELIVERY_UNKNOWN: async () => unknownDelivery(await partner()),
    V2_WEBHOOK_DELIVERY_UNKNOWN: async () => unknownDelivery(await app()),
    V1_WEBHOOK_INACTIVE: async () => inactive(await partner()),
    V2_WEBHOOK_INACTIVE: async () => inactive(await app()),
    V1_WEBHOOK_TOO_MANY: async () => tooMany(await partner()),
    V2_WEBHOOK_TOO_MANY: async () => tooMany(await app()),
    V1_EVENT_UNKNOWN: async () => unknownEvent(await partner()),
    V2_EVENT_UNKNOWN: async () => unknownEvent(await app()),
  };
}

/** What the client cannot send: requests that are none of the contract. */
export function oddRequestScenes({ service, asking }: Stage): Scenes {
  const partner = async () => asking(bearer((await service().partner()).key));
  return {
    async UNSUPPORTED_MEDIA_TYPE() {
      const ask = await partner();
      return {
        send: () => ask('POST', '/v1/webhook-endpoints', { form: { url: URL } }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async MALFORMED_BODY() {
      const ask = await partner();
      return {
        send: () => ask('POST', '/v1/webhook-endpoints', { json: hook({ description: '\ud800' }) }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async BODY_TOO_LARGE() {
      const ask = await partner();
      return {
        send: () => ask('POST', '/v1/webhook-endpoints', { json: hook({ description: 'x'.repeat(2_000_000) }) }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async NOT_FOUND() {
      const ask = await partner();
      return { send: () => ask('GET', '/v1/event'), instead: () => ask('GET', '/v1/events') };
    },
    async METHOD_NOT_ALLOWED() {
      const ask = await partner();
      return { send: () => ask('DELETE', '/v1/events'), instead: () => ask('GET', '/v1/events') };
    },
  };
}

type Caller = { ask: Ask; setUp: Ask; root: string };

/** The same request, first with a credential that does not do, then with one that does. */
function renewed(wrong: string, right: string, send: (used: string, key: string) => ReturnType<Ask>): Scene {
  let used = wrong;
  return {
    heal() {
      used = right;
    },
    send: (key) => send(used, key),
  };
}

const registering = ({ ask, root }: Caller, wrong: object): Scene => ({
  send: (key) => ask('POST', `${root}/webhook-endpoints`, keyed(key, hook(wrong))),
  instead: (key) => ask('POST', `${root}/webhook-endpoints`, keyed(key, hook())),
});
const unheard = (caller: Caller) => registering(caller, { events: ['order.unheard'] });
const forbidden = (caller: Caller) => registering(caller, { url: 'https://10.0.0.1/x' });

const endpointOf = async ({ setUp, root }: Caller): Promise<string> =>
  `${root}/webhook-endpoints/${(await setUp('POST', `${root}/webhook-endpoints`, { json: hook() })).body.id}`;

async function unknownEndpoint(caller: Caller): Promise<Scene> {
  const at = await endpointOf(caller);
  const test = (path: string) => (key: string) => caller.ask('POST', `${path}/test`, keyed(key));
  return { send: test(`${caller.root}/webhook-endpoints/whe_${'n'.repeat(22)}`), instead: test(at) };
}

async function unknownDelivery(caller: Caller): Promise<Scene> {
  const { body } = await caller.setUp('POST', `${await endpointOf(caller)}/test`);
  const read = (id: string) => () => caller.ask('GET', `${caller.root}/webhook-deliveries/${id}`);
  return { send: read(`whd_${'n'.repeat(22)}`), instead: read(body.id) };
}

async function inactive(caller: Caller): Promise<Scene> {
  const at = await endpointOf(caller);
  await caller.setUp('DELETE', at);
  return {
    heal: () => caller.setUp('PATCH', at, { json: { active: true } }),
    send: (key) => caller.ask('POST', `${at}/test`, keyed(key)),
  };
}

async function tooMany(caller: Caller): Promise<Scene> {
  const at = await endpointOf(caller);
  for (let status = 200; status === 200; )
    ({ status } = await caller.setUp('POST', `${caller.root}/webhook-endpoints`, { json: hook() }));
  return {
    heal: () => caller.setUp('DELETE', at),
    send: (key) => caller.ask('POST', `${caller.root}/webhook-endpoints`, keyed(key, hook())),
  };
}

const unknownEvent = ({ ask, root }: Caller): Scene => ({
  send: () => ask('GET', `${root}/events?after=evt_${'n'.repeat(22)}`),
  instead: () => ask('GET', `${root}/events`),
});
