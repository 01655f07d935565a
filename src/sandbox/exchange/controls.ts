import { canonical, isDecimal } from '../../kernel/decimals.ts';
import { type Body, routesOf } from '../control-calls.ts';
import type { Reported, Route } from '../upstream.ts';
import { approveAgent } from './agents.ts';
import { calls } from './control-calls.ts';
import { magicSizes } from './magic.ts';
import { payFunding } from './positions.ts';
import { setMid } from './prices.ts';
import type { UserStream } from './stream.ts';
import type { View } from './view.ts';
import { accountOf, deposit, type World } from './world.ts';

/** The routes of the control calls. */
export const controls = (world: World, view: View, stream: UserStream): Route[] =>
  routesOf(calls, {
    mid: (body) => data(setMid(world, String(body.coin), String(body.px))),
    funding: (body) => data(payFunding(world, String(body.coin), String(body.rate))),
    fund: (body) => fund(world, body),
    agent: (body) => agent(world, body),
    liquidity: (body) => liquidity(world, body),
    throttle({ times }) {
      world.throttled = Number(times);
      return data(true);
    },
    behind({ ms, replicas = 1 }) {
      view.setBehind(Number(ms), Number(replicas));
      return data(true);
    },
    stream({ on }) {
      if (on === true) stream.open();
      else stream.cut();
      return data(true);
    },
    'post-only'({ on }) {
      world.postOnly = on === true;
      return data(true);
    },
    magic: () => ({ status: 200, body: magicSizes }),
  });

const data = (done: boolean): Reported =>
  done ? { status: 200, body: { done } } : { status: 400, body: { error: 'unknown or malformed' } };

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);

const fund = (world: World, { address, usd, dex = '' }: Body): Reported => {
  const amount = String(usd);
  if (!isAddress(address) || !isDecimal(amount)) return data(false);
  const account = accountOf(world, address.toLowerCase());
  if (dex === 'spot') account.spot.total = canonical(amount);
  else deposit(account, amount, String(dex));
  return data(true);
};

const agent = (world: World, { wallet, agent: key, name, validUntil }: Body): Reported => {
  if (!isAddress(wallet) || !isAddress(key)) return data(false);
  approveAgent(world, wallet, key, String(name ?? ''), typeof validUntil === 'number' ? validUntil : undefined);
  return data(true);
};

const liquidity = (world: World, { coin: name, size }: Body): Reported => {
  const coin = world.coins.get(String(name));
  if (!coin || (size !== null && !isDecimal(String(size)))) return data(false);
  coin.liquidity = size === null ? null : canonical(String(size));
  return data(true);
};
