import { found, type Lookup } from '../../kernel/answer.ts';
import { httpClient } from '../http.ts';
import { readAccount, readActionBudget, readAgents, readBalances } from './accounts.ts';
import { readMarkets, readMids } from './assets.ts';
import { shareOfBudget } from './budget.ts';
import { type Catalogue, catalogueFrom } from './catalogue.ts';
import { allFills, readFills } from './fills.ts';
import { openGates } from './gates.ts';
import { type AskInfo, foundOr, infoFrom, LIGHT } from './info.ts';
import { readHistory, readOpenOrders, readStatus } from './orders.ts';
import { posterTo } from './post.ts';
import { signerOf } from './signing.ts';
import type { CallLimits, Exvenue, ExvenueAccess, PerpAccount } from './types.ts';
import { BATCH_LIMIT } from './wire.ts';

const send = httpClient();

/** Speaks with the exchange. Foreseen faults come back as answers; nothing is ever sent twice. */
export const exvenue = ({ url, network, budgetShare = 1, budgetPerMinute }: ExvenueAccess): Exvenue => {
  const base = url.replace(/\/+$/, ''); // kept as a text: resolving against it would drop its own path
  const budget = shareOfBudget(budgetShare, budgetPerMinute);
  const ask = infoFrom(base, send, budget);
  const catalogue = catalogueFrom(ask);
  return {
    network,
    batchLimit: BATCH_LIMIT,
    signerOf: (privateKey) => signerOf(privateKey, network),
    post: posterTo(base, send, budget, openGates()),
    ...marketReads(ask, catalogue),
    ...accountReads(ask, catalogue),
    ...orderReads(ask),
  };
};

type MarketReads = Pick<Exvenue, 'asset' | 'assets' | 'dexes' | 'markets' | 'mids'>;
type AccountReads = Pick<Exvenue, 'account' | 'accounts' | 'spotBalances' | 'agents' | 'actionBudget'>;
type OrderReads = Pick<Exvenue, 'openOrders' | 'orderStatus' | 'historicalOrders' | 'recentFills' | 'fills'>;

const marketReads = (ask: AskInfo, catalogue: Catalogue): MarketReads => ({
  asset: catalogue.find,
  assets: (dex = '', limits) => catalogue.list(dex, limits),
  dexes: async (limits) => {
    const dexes = await catalogue.dexes(limits);
    return dexes.kind === 'found' ? found(dexes.said.map(({ name }) => name)) : dexes;
  },
  markets: async (name = '', limits) => {
    const dex = await catalogue.dex(name, limits);
    if (dex.kind !== 'found') return dex;
    return ask({ body: { type: 'metaAndAssetCtxs', ...onDex(name) } }, limits, foundOr(readMarkets(dex.said)));
  },
  mids: (dex = '', limits) =>
    ask({ body: { type: 'allMids', ...onDex(dex) }, weight: LIGHT }, limits, foundOr(readMids)),
});

const accountReads = (ask: AskInfo, catalogue: Catalogue): AccountReads => {
  const account = (user: string, dex = '', limits?: CallLimits): Promise<Lookup<PerpAccount>> =>
    ask({ body: of('clearinghouseState', user, onDex(dex)), weight: LIGHT }, limits, foundOr(readAccount(dex)));
  return {
    account,
    accounts: async (user, limits) => {
      const dexes = await catalogue.dexes(limits);
      if (dexes.kind !== 'found') return dexes;
      const names = ['', ...dexes.said.map(({ name }) => name)];
      return every(await Promise.all(names.map((name) => account(user, name, limits))));
    },
    spotBalances: (user, limits) =>
      ask({ body: of('spotClearinghouseState', user), weight: LIGHT }, limits, foundOr(readBalances)),
    agents: (user, limits) => ask({ body: of('extraAgents', user) }, limits, foundOr(readAgents)),
    actionBudget: (user, limits) => ask({ body: of('userRateLimit', user) }, limits, foundOr(readActionBudget)),
  };
};

const orderReads = (ask: AskInfo): OrderReads => ({
  openOrders: (user, dex = '', limits) =>
    ask({ body: of('frontendOpenOrders', user, onDex(dex)) }, limits, foundOr(readOpenOrders)),
  orderStatus: (user, name, limits) =>
    ask({ body: of('orderStatus', user, { oid: wireName(name) }), weight: LIGHT }, limits, readStatus),
  historicalOrders: (user, limits) =>
    ask({ body: of('historicalOrders', user), costsRows: true }, limits, foundOr(readHistory)),
  recentFills: (user, limits) => ask({ body: of('userFills', user), costsRows: true }, limits, foundOr(readFills)),
  fills: (user, { fromMs, toMs }, limits) =>
    allFills(fromMs, (startTime) => {
      const span = { startTime, ...(toMs !== undefined && { endTime: toMs }) };
      return ask({ body: of('userFillsByTime', user, span), costsRows: true }, limits, foundOr(readFills));
    }),
});

const of = (type: string, user: string, more: object = {}) => ({ type, user: user.toLowerCase(), ...more });

/** The venue's own dex goes unnamed. */
const onDex = (dex: string) => (dex === '' ? {} : { dex });

const wireName = (name: number | string) => (typeof name === 'string' ? name.toLowerCase() : name);

/** All that was found, or the first that was not: a part would look like less than there is. */
const every = <T>(lookups: Lookup<T>[]): Lookup<T[]> => {
  const missing = lookups.find(({ kind }) => kind !== 'found');
  if (missing && missing.kind !== 'found') return missing;
  return found(lookups.flatMap((lookup) => (lookup.kind === 'found' ? [lookup.said] : [])));
};
