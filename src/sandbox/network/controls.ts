import type { Call, Reported, Route } from '../upstream.ts';
import { moveAccount } from './accounts.ts';
import type { Entities } from './entities.ts';
import { magicLeverages } from './magic.ts';
import { setPrice } from './prices.ts';
import { accountView } from './views.ts';
import type { Account } from './world.ts';

/**
 * Control routes: set prices, open and close markets, change subaccounts, restart the miners, list the magic values.
 */
export const controls = (entities: Entities): Route[] => [
  { method: 'POST', path: '/control/price', response: ({ json }) => priceResponse(entities, read(json)) },
  { method: 'POST', path: '/control/subaccount', response: ({ json }) => accountResponse(entities, read(json)) },
  { method: 'GET', path: '/control/magic', response: () => ({ status: 200, body: magicLeverages }) },
  {
    method: 'POST',
    path: '/control/restart-miner',
    response: () => {
      for (const { seen } of entities.all()) seen.clear();
      return { status: 200, body: { forgotten: true } };
    },
  },
];

/** `{pair, price}` sets a price; `{pair, open: false}` closes its market. */
const priceResponse = (entities: Entities, { pair, price, open }: Body): Reported => {
  const world = entities.first;
  if (typeof pair !== 'string' || !world.pairs.has(pair)) return { status: 400, body: { error: 'unknown pair' } };
  if (open === true) world.closedMarkets.delete(pair);
  if (open === false) world.closedMarkets.add(pair);
  if (price !== undefined && !setPrice(entities.all(), pair, Number(price)))
    return { status: 400, body: { error: 'not a price' } };
  return { status: 200, body: { pair, price: world.pairs.get(pair)?.price, open: !world.closedMarkets.has(pair) } };
};

/**
 * `{subaccount_id}` with any of `status`, `bucket`, `elimination` (its reason), `closes`, `settlements` (weeks).
 * `entity` is needed if it is not the first entity.
 */
const accountResponse = (entities: Entities, body: Body): Reported => {
  const { subaccount_id, entity, status, bucket, elimination, ...more } = body;
  const world = entity === undefined ? entities.first : entities.byName(String(entity));
  const account = world?.accounts.get(Number(subaccount_id));
  if (!world || !account) return { status: 404, body: { error: 'unknown subaccount' } };
  moveAccount(world, account, {
    ...(typeof status === 'string' && { status }),
    ...(typeof bucket === 'string' && { bucket }),
    ...(typeof elimination === 'string' && { elimination }),
    ...(more.closes !== undefined && { closes: more.closes as Account['closes'] }), // as: a control call is trusted
    ...(Array.isArray(more.settlements) && { settlements: more.settlements }),
  });
  return { status: 200, body: { ...accountView(account), bucket: account.bucket } };
};

type Body = Record<string, unknown>;

const read = (json: Call['json']): Body => Object(json) as Body; // as: every member is checked
