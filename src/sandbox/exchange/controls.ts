import { canonical, isDecimal } from '../../kernel/decimals.ts';
import type { Reported, Route } from '../upstream.ts';
import { approveAgent } from './agents.ts';
import { magicSizes } from './magic.ts';
import { payFunding } from './positions.ts';
import { setMid } from './prices.ts';
import type { View } from './view.ts';
import { accountOf, deposit, type World } from './world.ts';

type Body = Record<string, unknown>;

/**
 * Control routes: set prices, pay funding, set balances, agents, liquidity, throttling, the post-only period and how far reads are behind;
 * list the magic values.
 */
export const controls = (world: World, view: View): Route[] => [
  control('mid', (body) => data(setMid(world, String(body.coin), String(body.px)))),
  control('funding', (body) => data(payFunding(world, String(body.coin), String(body.rate)))),
  control('fund', (body) => fund(world, body)),
  control('agent', (body) => agent(world, body)),
  control('liquidity', (body) => liquidity(world, body)),
  control('throttle', ({ times }) => {
    world.throttled = Number(times);
    return data(true);
  }),
  control('behind', ({ ms, replicas = 1 }) => {
    view.setBehind(Number(ms), Number(replicas));
    return data(true);
  }),
  control('post-only', ({ on }) => {
    world.postOnly = on === true;
    return data(true);
  }),
  { method: 'GET', path: '/control/magic', response: () => ({ status: 200, body: magicSizes }) },
];

const control = (name: string, response: (body: Body) => Reported): Route => ({
  method: 'POST',
  path: `/control/${name}`,
  response: ({ json }) => response(Object(json) as Body), // as: every member is checked before use
});

const data = (done: boolean): Reported =>
  done ? { status: 200, body: { done } } : { status: 400, body: { error: 'unknown or malformed' } };

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);

/** Body: `{address, usd, dex?}`. `dex: "spot"` sets the spot balance. */
const fund = (world: World, { address, usd, dex = '' }: Body): Reported => {
  const amount = String(usd);
  if (!isAddress(address) || !isDecimal(amount)) return data(false);
  const account = accountOf(world, address.toLowerCase());
  if (dex === 'spot') account.spot.total = canonical(amount);
  else deposit(account, amount, String(dex));
  return data(true);
};

/** Body: `{wallet, agent, name?, validUntil?}`. */
const agent = (world: World, { wallet, agent: key, name, validUntil }: Body): Reported => {
  if (!isAddress(wallet) || !isAddress(key)) return data(false);
  approveAgent(world, wallet, key, String(name ?? ''), typeof validUntil === 'number' ? validUntil : undefined);
  return data(true);
};

/** Body: `{coin, size}`. The maximum fill of a taker at once; null: unlimited. */
const liquidity = (world: World, { coin: name, size }: Body): Reported => {
  const coin = world.coins.get(String(name));
  if (!coin || (size !== null && !isDecimal(String(size)))) return data(false);
  coin.liquidity = size === null ? null : canonical(String(size));
  return data(true);
};
