import { sql } from 'slonik';
import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const URL = 'https://hooks.example.com/x';
const hook = (more: object = {}) => ({ url: URL, events: ['*'], ...more });

type Caller = { ask: Ask; setUp: Ask; root: string };

/** Webhook endpoints, their deliveries and events, of partners and of apps. */
export function webhookScenes({ service, asking, counts }: Stage): Scenes {
  const endpoints = counts.rows('webhook_endpoints');
  const callers = {
    V1: async () => {
      const { key } = await service().partner();
      return { ask: asking(bearer(key)), setUp: byHand(service().url, bearer(key)), root: '/v1' };
    },
    V2: async () => {
      const { token, ask: setUp } = await service().app(['*']);
      return { ask: asking(bearer(token)), setUp, root: '/v2' };
    },
  };
  const of = (caller: () => Promise<Caller>, scene: (caller: Caller) => Scene | Promise<Scene>) => async () =>
    scene(await caller());
  return {
    V1_WEBHOOK_UNKNOWN_EVENT: of(callers.V1, unheard),
    V2_WEBHOOK_UNKNOWN_EVENT: of(callers.V2, unheard),
    V1_WEBHOOK_URL_FORBIDDEN: of(callers.V1, forbidden),
    V2_WEBHOOK_URL_FORBIDDEN: of(callers.V2, forbidden),
    V1_WEBHOOK_ENDPOINT_UNKNOWN: of(callers.V1, unknownEndpoint),
    V2_WEBHOOK_ENDPOINT_UNKNOWN: of(callers.V2, unknownEndpoint),
    V1_WEBHOOK_DELIVERY_UNKNOWN: of(callers.V1, unknownDelivery),
    V2_WEBHOOK_DELIVERY_UNKNOWN: of(callers.V2, unknownDelivery),
    V1_WEBHOOK_INACTIVE: of(callers.V1, inactive),
    V2_WEBHOOK_INACTIVE: of(callers.V2, inactive),
    V1_WEBHOOK_TOO_MANY: of(callers.V1, tooMany),
    V2_WEBHOOK_TOO_MANY: of(callers.V2, tooMany),
    V1_WEBHOOK_RECOVERY_PAUSED: of(callers.V1, recoveredJustNow),
    V2_WEBHOOK_RECOVERY_PAUSED: of(callers.V2, recoveredJustNow),
    V1_EVENT_UNKNOWN: of(callers.V1, unknownEvent),
    V2_EVENT_UNKNOWN: of(callers.V2, unknownEvent),
  };

  function registering({ ask, root }: Caller, wrong: object): Scene {
    const register = (more: object) => (key: string) =>
      ask('POST', `${root}/webhook-endpoints`, keyed(key, hook(more)));
    return { makes: endpoints, send: register(wrong), instead: register({}) };
  }
  function unheard(caller: Caller): Scene {
    return registering(caller, { events: ['order.unheard'] });
  }
  function forbidden(caller: Caller): Scene {
    return registering(caller, { url: 'https://10.0.0.1/x' });
  }

  async function unknownEndpoint(caller: Caller): Promise<Scene> {
    const at = await endpointOf(caller);
    const test = (path: string) => (key: string) => caller.ask('POST', `${path}/test`, keyed(key));
    const nobodys = `${caller.root}/webhook-endpoints/whe_${'n'.repeat(22)}`;
    return { makes: counts.rows('webhook_deliveries'), send: test(nobodys), instead: test(at) };
  }

  async function unknownDelivery(caller: Caller): Promise<Scene> {
    const { body } = await caller.setUp('POST', `${await endpointOf(caller)}/test`);
    const read = (id: string) => () => caller.ask('GET', `${caller.root}/webhook-deliveries/${id}`);
    return { shows: ({ id }) => id === body.id, send: read(`whd_${'n'.repeat(22)}`), instead: read(body.id) };
  }

  async function inactive(caller: Caller): Promise<Scene> {
    const at = await endpointOf(caller);
    await caller.setUp('DELETE', at);
    return {
      makes: counts.rows('webhook_deliveries'),
      heal: () => caller.setUp('PATCH', at, { json: { active: true } }),
      send: (key) => caller.ask('POST', `${at}/test`, keyed(key)),
    };
  }

  async function tooMany(caller: Caller): Promise<Scene> {
    const at = await endpointOf(caller);
    for (let status = 200; status === 200; )
      ({ status } = await caller.setUp('POST', `${caller.root}/webhook-endpoints`, { json: hook() }));
    return {
      makes: endpoints,
      heal: () => caller.setUp('DELETE', at),
      send: (key) => caller.ask('POST', `${caller.root}/webhook-endpoints`, keyed(key, hook())),
    };
  }

  async function recoveredJustNow(caller: Caller): Promise<Scene> {
    const at = await endpointOf(caller);
    const id = at.split('/').at(-1) ?? '';
    const since = '2026-01-01T00:00:00Z';
    await caller.setUp('POST', `${at}/recover`, { json: { since } });
    return {
      shows: (body) => body.since,
      pass: (seconds) =>
        service().db.query(sql.unsafe`
          update webhook_endpoints set recovered_at = recovered_at - make_interval(secs => ${seconds}) where id = ${id}`),
      send: (key) => caller.ask('POST', `${at}/recover`, keyed(key, { since })),
    };
  }
}

const endpointOf = async ({ setUp, root }: Caller): Promise<string> =>
  `${root}/webhook-endpoints/${(await setUp('POST', `${root}/webhook-endpoints`, { json: hook() })).body.id}`;

const unknownEvent = ({ ask, root }: Caller): Scene => ({
  shows: Array.isArray,
  send: () => ask('GET', `${root}/events?after=evt_${'n'.repeat(22)}`),
  instead: () => ask('GET', `${root}/events`),
});
