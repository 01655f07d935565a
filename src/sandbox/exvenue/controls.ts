import { canonical, isDecimal } from '../../kernel/decimals.ts';
import type { Route, Said } from '../party.ts';
import { approveAgent } from './agents.ts';
import { magicSizes } from './magic.ts';
import { setMid } from './prices.ts';
import { accountOf, deposit, type World } from './world.ts';

type Body = Record<string, unknown>;

/** Moves prices, money, agents and moods of the exchange by hand, and lists the magic values. */
export const controls = (world: World): Route[] => [
  control('mid', (body) => said(setMid(world, String(body.coin), String(body.px)))),
  control('fund', (body) => fund(world, body)),
  control('agent', (body) => agent(world, body)),
  control('liquidity', (body) => liquidity(world, body)),
  control('throttle', ({ times }) => {
    world.throttled = Number(times);
    return said(true);
  }),
  control('post-only', ({ on }) => {
    world.postOnly = on === true;
    return said(true);
  }),
  { method: 'GET', path: '/control/magic', answer: () => ({ status: 200, body: magicSizes }) },
];

const control = (name: string, answer: (body: Body) => Said): Route => ({
  method: 'POST',
  path: `/control/${name}`,
  answer: ({ json }) => answer(Object(json) as Body), // as: every member is checked where it is used
});

const said = (done: boolean): Said =>
  done ? { status: 200, body: { done } } : { status: 400, body: { error: 'unknown or malformed' } };

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);

/** `{address, usd, dex?}`; `dex: "spot"` is the spot balance. */
const fund = (world: World, { address, usd, dex = '' }: Body): Said => {
  const amount = String(usd);
  if (!isAddress(address) || !isDecimal(amount)) return said(false);
  const account = accountOf(world, address.toLowerCase());
  if (dex === 'spot') account.spot.total = canonical(amount);
  else deposit(account, amount, String(dex));
  return said(true);
};

/** `{wallet, agent, name?, validUntil?}`. */
const agent = (world: World, { wallet, agent: key, name, validUntil }: Body): Said => {
  if (!isAddress(wallet) || !isAddress(key)) return said(false);
  approveAgent(world, wallet, key, String(name ?? ''), typeof validUntil === 'number' ? validUntil : undefined);
  return said(true);
};

/** `{coin, size}`: the most a taker gets at once; null for all it wants. */
const liquidity = (world: World, { coin: name, size }: Body): Said => {
  const coin = world.coins.get(String(name));
  if (!coin || (size !== null && !isDecimal(String(size)))) return said(false);
  coin.liquidity = size === null ? null : canonical(String(size));
  return said(true);
};
