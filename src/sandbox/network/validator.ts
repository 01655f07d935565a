import type { Reported, Route } from '../upstream.ts';
import type { Entities } from './entities.ts';
import { limitsView, walletLimitsView } from './limits.ts';
import { payoutResponse } from './payouts.ts';
import { accountView, dashboardView, ordersView, pairsView } from './views.ts';
import type { Account, World } from './world.ts';

/** The validator's routes below `/validator`. Pairs and linked traders are public; the other routes require the key. */
export const validatorRoutes = (entities: Entities, validatorKey: string): Route[] => {
  const guarded = keyed(validatorKey);
  return [
    get('/trade-pairs', () => ({ status: 200, body: pairsView(entities.first.pairs.values(), entities.first.style) })),
    get('/hl-traders/:address/limits', ({ params }) => limits(entities, byAddress(entities, params.address), true)),
    get(
      '/subaccounts/:hotkey/limits',
      guarded(({ params }) => limits(entities, byHotkey(entities, params.hotkey), false)),
    ),
    {
      method: 'POST',
      path: '/validator/entity/subaccount/payout',
      response: guarded(({ json }) => payoutResponse(entities.all(), Object(json))),
    },
    get('/hl-traders/:address', ({ params, query }) =>
      dashboard(byAddress(entities, params.address), query, NO_WALLET),
    ),
    get(
      '/v2/entity/subaccount/:hotkey',
      guarded(({ params, query }) => dashboard(byHotkey(entities, params.hotkey), query, NO_SUBACCOUNT)),
    ),
    get(
      '/entity/:hotkey',
      guarded(({ params }) => entity(entities.byName(params.hotkey ?? ''))),
    ),
    get(
      '/orders/:hotkey',
      guarded(({ params, query }) => orders(byHotkey(entities, params.hotkey), query)),
    ),
  ];
};

const get = (path: string, response: Route['response']): Route => ({
  method: 'GET',
  path: `/validator${path}`,
  response,
});

const byAddress = (entities: Entities, address = ''): Account | undefined =>
  entities
    .all()
    .map((world) => world.byAddress.get(address.toLowerCase()))
    .find((account) => account !== undefined);

/** What a 404 says is missing. See venues/network-validator.md#validator-rest. */
const NO_WALLET = 'HL address not found';
const NO_SUBACCOUNT = 'Subaccount not found';

const missing = (message: string): Reported => ({ status: 404, body: { status: 'error', message } });

/** Finds the account by the number after the entity's name. */
const byHotkey = (entities: Entities, hotkey = ''): Account | undefined => {
  const at = hotkey.lastIndexOf('_');
  return entities.byName(hotkey.slice(0, at))?.accounts.get(Number(hotkey.slice(at + 1)));
};

const dashboard = (account: Account | undefined, query: URLSearchParams, otherwise: string): Reported => {
  if (!account) return missing(otherwise);
  const since = (name: string) => Number(query.get(name) ?? 0);
  const view = dashboardView(account, { positions: since('positions_time_ms'), orders: since('limit_orders_time_ms') });
  return { status: 200, body: { status: 'success', dashboard: view, timestamp: Date.now() } };
};

const limits = ({ first }: Entities, account: Account | undefined, linked: boolean): Reported => {
  if (!account) return missing(linked ? NO_WALLET : NO_SUBACCOUNT);
  return { status: 200, body: linked ? walletLimitsView(account) : limitsView(account, first.pairs.values()) };
};

const entity = (world: World | undefined): Reported => {
  if (!world) return missing('Entity not found');
  const subaccounts = Object.fromEntries([...world.accounts].map(([id, account]) => [id, accountView(account)]));
  const next_subaccount_id = world.accounts.size;
  return {
    status: 200,
    body: { status: 'success', entity: { entity_hotkey: world.entityHotkey, subaccounts, next_subaccount_id } },
  };
};

const orders = (account: Account | undefined, query: URLSearchParams): Reported => {
  const wanted = (query.get('status') ?? 'unfilled,filled,cancelled').split(',');
  const view = account && ordersView(account, wanted);
  return view ? { status: 200, body: view } : { status: 404, body: { error: 'No orders found for miner' } };
};

/** Accepts only calls with the key, bare or as a bearer token. */
const keyed =
  (key: string) =>
  (response: Route['response']): Route['response'] =>
  (call) => {
    const given = call.headers.authorization?.replace(/^Bearer /, '');
    return given === key ? response(call) : { status: 401, body: { error: 'Unauthorized access' } };
  };
