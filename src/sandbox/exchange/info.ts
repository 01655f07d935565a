import { minus } from '../../kernel/decimals.ts';
import type { Call, Reported, Route } from '../upstream.ts';
import { isOpen } from './book.ts';
import { isThrottled } from './exchange.ts';
import { capOf } from './limits.ts';
import type { View } from './view.ts';
import { accountView, contextView, fillView, fundingView, metaView, orderView, recordView } from './views.ts';
import { type Account, accountOf, leverageOf, type World } from './world.ts';

/** See venues/exchange.md#rows. */
const ROWS = 2_000;
const KEPT_ORDERS = 2_000;

/** The venue's single route for reads. 422 for an unknown type or a missing user. */
export const infoRoute = (world: World, view: View): Route => ({
  method: 'POST',
  path: '/info',
  reads: true,
  response: (call) => {
    if (isThrottled(world)) return { status: 429, body: null };
    const body = responseTo(view.shown(), readRequest(call));
    return body === undefined ? malformed : { status: 200, body };
  },
  rejection: (): Reported => ({ status: 429, body: null }),
});

const malformed: Reported = { status: 422, body: 'Failed to deserialize the JSON body into the target type' };

type InfoRequest = Record<string, unknown> & { type: unknown };

const readRequest = ({ json }: Call): InfoRequest => ({ type: undefined, ...Object(json) });

const responseTo = (world: World, question: InfoRequest): unknown => {
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
  return responseAbout(
    world,
    world.autoFund === null ? (world.accounts.get(user) ?? null) : accountOf(world, user),
    question,
    dex,
  );
};

/** An unknown user has an empty account; that is not an error. */
const responseAbout = (world: World, known: Account | null, question: InfoRequest, dex: string): unknown => {
  const account = known ?? accountOf({ ...world, accounts: new Map() }, String(question.user));
  switch (question.type) {
    case 'clearinghouseState':
      return accountView(account, dex, world.asOfMs ?? Date.now());
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
    case 'userFunding':
      return fundingSince(account, question);
    case 'userRole':
      return roleOf(world, known, String(question.user));
    case 'extraAgents':
      return liveAgents(account).filter(({ name }) => name !== '');
    case 'webData2':
      return unnamedAgent(account);
    case 'activeAssetData':
      return activeAsset(world, account, String(question.coin));
    case 'userAbstraction':
      return account.mode ?? 'disabled';
    case 'userRateLimit':
      return rateLimit(world, account);
  }
};

/** Only the leverage of the account in the asset. Undefined for an unknown asset. */
const activeAsset = (world: World, account: Account, name: string) => {
  const coin = world.coins.get(name);
  if (!coin) return undefined;
  const { value, isCross } = leverageOf(account, coin);
  const leverage = { type: isCross ? 'cross' : 'isolated', value };
  const none = ['0.0', '0.0'];
  return { user: account.address, coin: name, leverage, maxTradeSzs: none, availableToTrade: none, markPx: coin.mid };
};

/** An agent names its master; an address without an account is missing. */
const roleOf = (world: World, known: Account | null, user: string) => {
  const master = world.masters.get(user);
  const isLive = master !== undefined && liveAgents(master).some(({ address }) => address === user);
  if (isLive) return { role: 'agent', data: { user: master.address } };
  return { role: known ? 'user' : 'missing' };
};

const liveAgents = ({ agents }: Account) => [...agents.values()].filter(({ validUntil }) => validUntil > Date.now());

/** The agent without a name is not listed with the others. */
const unnamedAgent = (account: Account) => {
  const agent = liveAgents(account).find(({ name }) => name === '');
  return { agentAddress: agent?.address ?? null, agentValidUntil: agent?.validUntil ?? null };
};

/** All open orders, newest first. Exits of an unfilled parent are listed in the parent too. See venues/exchange.md#exits. */
const openOrders = (account: Account, dex: string) =>
  [...account.orders.values()].filter((order) => isOpen(order) && order.coin.dex === dex).reverse();

/** Finds an order by oid or cloid among the newest orders. Like the venue, it does not find older ones. */
const orderStatus = (account: Account, name: unknown): unknown => {
  const order = typeof name === 'number' ? account.orders.get(name) : account.byCloid.get(String(name));
  if (!order) return { status: 'unknownOid' };
  const newer = [...account.orders.keys()].filter((oid) => oid > order.oid).length;
  return newer < KEPT_ORDERS || isOpen(order)
    ? { status: 'order', order: recordView(order) }
    : { status: 'unknownOid' };
};

/** The venue rejects a time before 1970, and one with a fraction: it reads unsigned integers. */
const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const fillsByTime = (account: Account, { startTime, endTime }: InfoRequest): unknown => {
  if (!isTime(startTime) || !(endTime === undefined || isTime(endTime))) return undefined;
  const until = endTime ?? Number.POSITIVE_INFINITY;
  return account.fills
    .filter(({ timeMs }) => timeMs >= startTime && timeMs <= until)
    .slice(0, ROWS)
    .map(fillView);
};

/** See venues/exchange.md#rows. */
const FUNDING_ROWS = 500;

const fundingSince = ({ funding = [] }: Account, { startTime }: InfoRequest): unknown =>
  isTime(startTime)
    ? funding
        .filter(({ timeMs }) => timeMs >= startTime)
        .slice(0, FUNDING_ROWS)
        .map(fundingView)
    : undefined;

const rateLimit = (world: World, account: Account) => ({
  cumVlm: minus(account.actions.volume, '0'),
  nRequestsUsed: account.actions.used,
  nRequestsCap: capOf(world, account),
  nRequestsSurplus: 0,
});

const dexesOf = (world: World): string[] =>
  [...new Set([...world.coins.values()].map(({ dex }) => dex))].filter(Boolean);

/** One pair, so that spot names can be resolved. Spot trading is not simulated. */
const spotMeta = {
  tokens: [
    { name: 'USDC', szDecimals: 8, weiDecimals: 8, index: 0, isCanonical: true },
    { name: 'PURR', szDecimals: 0, weiDecimals: 5, index: 1, isCanonical: true },
  ],
  universe: [{ name: 'PURR/USDC', tokens: [1, 0], index: 0, isCanonical: true }],
};
