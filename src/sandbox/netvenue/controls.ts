import type { Call, Route, Said } from '../party.ts';
import { moveAccount } from './accounts.ts';
import type { Entities } from './entities.ts';
import { magicLeverages } from './magic.ts';
import { setPrice } from './prices.ts';
import { accountView } from './views.ts';
import type { Account } from './world.ts';

/** Moves prices, markets and subaccounts by hand, restarts the miners, and lists the magic values. */
export const controls = (entities: Entities): Route[] => [
  { method: 'POST', path: '/control/price', answer: ({ json }) => priceAnswer(entities, read(json)) },
  { method: 'POST', path: '/control/subaccount', answer: ({ json }) => accountAnswer(entities, read(json)) },
  { method: 'GET', path: '/control/magic', answer: () => ({ status: 200, body: magicLeverages }) },
  {
    method: 'POST',
    path: '/control/restart-miner',
    answer: () => {
      for (const { seen } of entities.all()) seen.clear();
      return { status: 200, body: { forgotten: true } };
    },
  },
];

/** `{pair, price}` moves a price; `{pair, open: false}` closes its market. */
const priceAnswer = (entities: Entities, { pair, price, open }: Body): Said => {
  const world = entities.first;
  if (typeof pair !== 'string' || !world.pairs.has(pair)) return { status: 400, body: { error: 'unknown pair' } };
  if (open === true) world.closedMarkets.delete(pair);
  if (open === false) world.closedMarkets.add(pair);
  if (price !== undefined && !setPrice(entities.all(), pair, Number(price)))
    return { status: 400, body: { error: 'not a price' } };
  return { status: 200, body: { pair, price: world.pairs.get(pair)?.price, open: !world.closedMarkets.has(pair) } };
};

/** `{subaccount_id}`, with `entity` where it is not the party's own, and any of `status`, `bucket`, `elimination` (its reason), `closes`, `settlements` (weeks). */
const accountAnswer = (entities: Entities, body: Body): Said => {
  const { subaccount_id, entity, status, bucket, elimination, ...more } = body;
  const world = entity === undefined ? entities.first : entities.byName(String(entity));
  const account = world?.accounts.get(Number(subaccount_id));
  if (!world || !account) return { status: 404, body: { error: 'unknown subaccount' } };
  moveAccount(world, account, {
    ...(typeof status === 'string' && { status }),
    ...(typeof bucket === 'string' && { bucket }),
    ...(typeof elimination === 'string' && { elimination }),
    ...(more.closes !== undefined && { closes: more.closes as Account['closes'] }), // as: whoever moves by hand knows its members
    ...(Array.isArray(more.settlements) && { settlements: more.settlements }),
  });
  return { status: 200, body: { ...accountView(account), bucket: account.bucket } };
};

type Body = Record<string, unknown>;

const read = (json: Call['json']): Body => Object(json) as Body; // as: every member is checked
