import type { Route, Said } from '../party.ts';
import { keyed } from './keyed.ts';
import { limitsView, walletLimitsView } from './limits.ts';
import { payoutAnswer } from './payouts.ts';
import { accountView, dashboardView, ordersView, pairsView } from './views.ts';
import type { Account, World } from './world.ts';

/** The validator's routes below `/validator`. Pairs and linked traders are public, the rest wants the key. */
export const validatorRoutes = (world: World, validatorKey: string): Route[] => {
  const guarded = keyed(validatorKey);
  return [
    get('/trade-pairs', () => ({ status: 200, body: pairsView(world.pairs.values()) })),
    get('/hl-traders/:address/limits', ({ params }) => limits(world, world.byAddress.get(lower(params.address)), true)),
    get(
      '/subaccounts/:hotkey/limits',
      guarded(({ params }) => limits(world, byHotkey(world, params.hotkey), false)),
    ),
    {
      method: 'POST',
      path: '/validator/entity/subaccount/payout',
      answer: guarded(({ json }) => payoutAnswer(world, Object(json))),
    },
    get('/hl-traders/:address', ({ params, query }) => dashboard(world.byAddress.get(lower(params.address)), query)),
    get(
      '/v2/entity/subaccount/:hotkey',
      guarded(({ params, query }) => dashboard(byHotkey(world, params.hotkey), query)),
    ),
    get(
      '/entity/:hotkey',
      guarded(({ params }) => (params.hotkey === world.entityHotkey ? entity(world) : missing('Entity not found'))),
    ),
    get(
      '/orders/:hotkey',
      guarded(({ params, query }) => orders(byHotkey(world, params.hotkey), query)),
    ),
  ];
};

const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path: `/validator${path}`, answer });

const lower = (text = '') => text.toLowerCase();

const missing = (message: string): Said => ({ status: 404, body: { status: 'error', message } });

/** The number behind the entity's name is the key of the account: no search. */
const byHotkey = (world: World, hotkey = ''): Account | undefined => {
  const prefix = `${world.entityHotkey}_`;
  return hotkey.startsWith(prefix) ? world.accounts.get(Number(hotkey.slice(prefix.length))) : undefined;
};

const dashboard = (account: Account | undefined, query: URLSearchParams): Said => {
  if (!account) return missing('Trader data not available');
  const since = (name: string) => Number(query.get(name) ?? 0);
  const view = dashboardView(account, { positions: since('positions_time_ms'), orders: since('limit_orders_time_ms') });
  return { status: 200, body: { status: 'success', dashboard: view, timestamp: Date.now() } };
};

const limits = (world: World, account: Account | undefined, linked: boolean): Said => {
  if (!account) return missing('Trader data not available');
  return { status: 200, body: linked ? walletLimitsView(account) : limitsView(account, world.pairs.values()) };
};

const entity = (world: World): Said => {
  const subaccounts = Object.fromEntries([...world.accounts].map(([id, account]) => [id, accountView(account)]));
  const next_subaccount_id = world.accounts.size;
  return {
    status: 200,
    body: { status: 'success', entity: { entity_hotkey: world.entityHotkey, subaccounts, next_subaccount_id } },
  };
};

const orders = (account: Account | undefined, query: URLSearchParams): Said => {
  const wanted = (query.get('status') ?? 'unfilled,filled,cancelled').split(',');
  const view = account && ordersView(account, wanted);
  return view ? { status: 200, body: view } : { status: 404, body: { error: 'No orders found for miner' } };
};
