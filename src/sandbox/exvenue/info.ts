import { minus } from '../../kernel/decimals.ts';
import type { Call, Route, Said } from '../party.ts';
import { isOpen } from './book.ts';
import { isThrottled } from './exchange.ts';
import { capOf } from './limits.ts';
import { accountView, contextView, fillView, metaView, orderView, recordView } from './views.ts';
import { type Account, accountOf, type World } from './world.ts';

/** Venue facts: rows of one answer, and how many of an account's orders can be found by name. */
const ROWS = 2_000;
const KEPT_ORDERS = 2_000;

/** The venue's single route for reads; a question it does not know, or one without a user, is 422. */
export const infoRoute = (world: World): Route => ({
  method: 'POST',
  path: '/info',
  reads: true,
  answer: (call) => {
    if (isThrottled(world)) return { status: 429, body: null };
    const body = answerTo(world, readQuestion(call));
    return body === undefined ? malformed : { status: 200, body };
  },
  refusal: (): Said => ({ status: 429, body: null }),
});

const malformed: Said = { status: 422, body: 'Failed to deserialize the JSON body into the target type' };

type Question = Record<string, unknown> & { type: unknown };

const readQuestion = ({ json }: Call): Question => ({ type: undefined, ...Object(json) });

const answerTo = (world: World, question: Question): unknown => {
  const dex = typeof question.dex === 'string' ? question.dex : '';
  const coins = [...world.coins.values()].filter((coin) => coin.dex === dex);
  switch (question.type) {
    case 'meta':
      return metaView(coins);
    case 'metaAndAssetCtxs':
      return [metaView(coins), coins.map(contextView)];
    case 'allMids':
      return Object.fromEntries(coins.filter(({ isDelisted }) => !isDelisted).map(({ name, mid }) => [name, mid]));
    case 'perpDexs':
      return [null, ...dexesOf(world).map((name) => ({ name, fullName: name }))];
    case 'spotMeta':
      return spotMeta;
  }
  const { user } = question;
  if (typeof user !== 'string' || !/^0x[0-9a-f]{40}$/.test(user)) return undefined;
  return answerAbout(
    world,
    world.autoFund === null ? (world.accounts.get(user) ?? null) : accountOf(world, user),
    question,
    dex,
  );
};

/** A user nobody knows has an empty account, which is no error. */
const answerAbout = (world: World, known: Account | null, question: Question, dex: string): unknown => {
  const account = known ?? accountOf({ ...world, accounts: new Map() }, String(question.user));
  switch (question.type) {
    case 'clearinghouseState':
      return accountView(account, dex);
    case 'spotClearinghouseState':
      return { balances: [{ coin: 'USDC', token: 0, ...account.spot, entryNtl: '0.0' }] };
    case 'frontendOpenOrders':
      return openOrders(account, dex).map(orderView);
    case 'openOrders':
      return openOrders(account, dex).map(orderView);
    case 'orderStatus':
      return orderStatus(account, question.oid);
    case 'historicalOrders':
      return [...account.orders.values()].reverse().slice(0, ROWS).map(recordView);
    case 'userFills':
      return account.fills.slice(-ROWS).reverse().map(fillView);
    case 'userFillsByTime':
      return fillsByTime(account, question);
    case 'extraAgents':
      return [...account.agents.values()].filter(({ validUntil }) => validUntil > Date.now());
    case 'userRateLimit':
      return rateLimit(world, account);
  }
};

/** Orders in the book or watching their triggers; exits of an unfilled parent are shown with it. */
const openOrders = (account: Account, dex: string) =>
  [...account.orders.values()].filter((order) => order.live && isOpen(order) && order.coin.dex === dex).reverse();

/** By number or cloid, among the newest orders only: older ones are forgotten, as at the venue. */
const orderStatus = (account: Account, name: unknown): unknown => {
  const order = typeof name === 'number' ? account.orders.get(name) : account.byCloid.get(String(name));
  if (!order) return { status: 'unknownOid' };
  const newer = [...account.orders.keys()].filter((oid) => oid > order.oid).length;
  return newer < KEPT_ORDERS || isOpen(order)
    ? { status: 'order', order: recordView(order) }
    : { status: 'unknownOid' };
};

const fillsByTime = (account: Account, { startTime, endTime }: Question): unknown => {
  if (typeof startTime !== 'number') return undefined;
  const until = typeof endTime === 'number' ? endTime : Number.POSITIVE_INFINITY;
  return account.fills
    .filter(({ timeMs }) => timeMs >= startTime && timeMs <= until)
    .slice(0, ROWS)
    .map(fillView);
};

const rateLimit = (world: World, account: Account) => ({
  cumVlm: minus(account.actions.volume, '0'),
  nRequestsUsed: account.actions.used,
  nRequestsCap: capOf(world, account),
  nRequestsSurplus: 0,
});

const dexesOf = (world: World): string[] =>
  [...new Set([...world.coins.values()].map(({ dex }) => dex))].filter(Boolean);

/** One pair, so that spot names can be resolved; nothing is traded there. */
const spotMeta = {
  tokens: [
    { name: 'USDC', szDecimals: 8, weiDecimals: 8, index: 0, isCanonical: true },
    { name: 'PURR', szDecimals: 0, weiDecimals: 5, index: 1, isCanonical: true },
  ],
  universe: [{ name: 'PURR/USDC', tokens: [1, 0], index: 0, isCanonical: true }],
};
