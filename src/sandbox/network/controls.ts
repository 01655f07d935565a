import { isAdvance, NOT_SECONDS } from '../control.ts';
import { type Body, routesOf } from '../control-calls.ts';
import type { Reported, Route } from '../upstream.ts';
import { moveAccount } from './accounts.ts';
import { advanceAccount } from './advance.ts';
import { calls } from './control-calls.ts';
import type { Entities } from './entities.ts';
import { magicLeverages } from './magic.ts';
import { setPrice } from './prices.ts';
import { accountView } from './views.ts';
import type { Account } from './world.ts';

/** The routes of the control calls. */
export const controls = (entities: Entities): Route[] =>
  routesOf(calls, {
    price: (body) => priceResponse(entities, body),
    subaccount: (body) => accountResponse(entities, body),
    age: (body) => ageResponse(entities, body),
    magic: () => ({ status: 200, body: magicLeverages }),
    'restart-miner': () => {
      for (const { seen } of entities.all()) seen.clear();
      return { status: 200, body: { forgotten: true } };
    },
  });

const priceResponse = (entities: Entities, { pair, price, open }: Body): Reported => {
  const world = entities.first;
  if (typeof pair !== 'string' || !world.pairs.has(pair)) return { status: 400, body: { error: 'unknown pair' } };
  if (open === true) world.closedMarkets.delete(pair);
  if (open === false) world.closedMarkets.add(pair);
  if (price !== undefined && !setPrice(entities.all(), pair, Number(price)))
    return { status: 400, body: { error: 'not a price' } };
  return { status: 200, body: { pair, price: world.pairs.get(pair)?.price, open: !world.closedMarkets.has(pair) } };
};

const accountResponse = (entities: Entities, body: Body): Reported => {
  const { status, bucket, elimination, ...more } = body;
  const { world, account } = namedBy(entities, body);
  if (!world || !account) return UNKNOWN;
  moveAccount(world, account, {
    ...(typeof status === 'string' && { status }),
    ...(typeof bucket === 'string' && { bucket }),
    ...(typeof elimination === 'string' && { elimination }),
    ...(more.closes !== undefined && { closes: more.closes as Account['closes'] }), // as: a control call is trusted
    ...(Array.isArray(more.settlements) && { settlements: more.settlements }),
  });
  return { status: 200, body: { ...accountView(account), bucket: account.bucket } };
};

const ageResponse = (entities: Entities, body: Body): Reported => {
  const { account, world } = namedBy(entities, body);
  if (!world || !account) return UNKNOWN;
  if (!isAdvance(body.seconds)) return { status: 400, body: { error: NOT_SECONDS } };
  advanceAccount(world, account, body.seconds * 1_000);
  return { status: 200, body: { advanced_s: body.seconds } };
};

const UNKNOWN: Reported = { status: 404, body: { error: 'unknown subaccount' } };

/** The subaccount that a body names, and its entity: the first without `entity`. */
function namedBy(entities: Entities, { entity, subaccount_id }: Body) {
  const world = entity === undefined ? entities.first : entities.byName(String(entity));
  return { world, account: world?.accounts.get(Number(subaccount_id)) };
}
