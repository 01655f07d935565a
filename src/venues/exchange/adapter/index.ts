import { type HttpClient, httpClient, inTurns } from '../../../adapters/http.ts';
import { bucketOf, type Priority, readWeights } from '../../../capacity/exchange.ts';
import { atOnce } from '../../../kernel/at-once.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import type { ExvenueAccess } from './access.ts';
import {
  readAccount,
  readActionBudget,
  readAgents,
  readBalances,
  readLeverage,
  readMode,
  readRole,
  readUnnamedAgent,
} from './accounts.ts';
import type { CallLimits } from './action-types.ts';
import { readMarkets } from './assets.ts';
import { tokenBucket } from './bucket.ts';
import { budgetFrom } from './budget.ts';
import { type Catalogue, catalogueFrom } from './catalogue.ts';
import { fillPages } from './fill-pages.ts';
import { allFills, readFills } from './fills.ts';
import { allFunding, readFunding } from './funding.ts';
import { foundOr, infoFrom, type QueryInfo } from './info.ts';
import { latestOf, NO_UPDATES, orderUpdatesIn } from './order-updates.ts';
import { readHistory, readOpenCoins, readOpenOrders, readOrderNames, readStatus } from './orders.ts';
import { accountPauses } from './pauses.ts';
import { posterTo } from './post.ts';
import { pricesFrom } from './prices.ts';
import { signerOf } from './signing.ts';
import type { Exvenue, OrderUpdates, PerpAccount } from './types.ts';
import { BATCH_LIMIT } from './wire.ts';

const client = httpClient();

/** Client of the exchange. Expected faults are results, not exceptions. It never resends by itself. */
export const exvenue = ({
  url,
  network,
  budgetPerMinute,
  streamLagMs = null,
  most,
  shared,
}: ExvenueAccess): Exvenue => {
  const base = url.replace(/\/+$/, ''); // a string: resolving against a URL would drop its path
  const { ledger, responses } = shared ?? NOT_SHARED;
  const budget = budgetFrom(ledger(bucketOf(budgetPerMinute)), budgetPerMinute, most?.reads);
  const query = infoFrom(base, sendersOf(most?.reads), budget);
  const catalogue = catalogueFrom({ query, responses });
  const updates = streamLagMs === null ? NO_UPDATES : orderUpdatesIn(responses, streamLagMs);
  return {
    network,
    updates,
    batchLimit: BATCH_LIMIT,
    signerOf: (privateKey) => signerOf(privateKey, network),
    post: posterTo(base, sendersOf(most?.actions), budget, accountPauses()),
    ...marketReads(query, catalogue),
    ...accountReads(query, catalogue),
    ...orderReads(query, catalogue, { pageOfFills: fillPages({ query, responses }), updates }),
  };
};

/**
 * Exits, entries and reads have separate limits, so exits do not wait for entries, nor verbs for reads. A verb that waits holds a job and is tried
 * again soon, so few may wait: other verbs still find a job while the exchange is slow.
 */
function sendersOf(most = Number.POSITIVE_INFINITY): Record<Priority, HttpClient> {
  const [exit, entry] = [atOnce(most, { mostWaiting: 2 * most }), atOnce(most, { mostWaiting: 2 * most })];
  return { exit: inTurns(client, exit), entry: inTurns(client, entry), read: client };
}

/** The default for a process that shares nothing with others. */
const NOT_SHARED: NonNullable<ExvenueAccess['shared']> = {
  ledger: tokenBucket,
  responses: { find: async () => null, keep: async () => {} },
};

type MarketReads = Pick<Exvenue, 'asset' | 'assetId' | 'assets' | 'dexes' | 'markets' | 'mids'>;
type AccountReads = Pick<
  Exvenue,
  | 'account'
  | 'accounts'
  | 'leverage'
  | 'accountMode'
  | 'spotBalances'
  | 'role'
  | 'agents'
  | 'unnamedAgent'
  | 'actionBudget'
>;
type OrderReads = Pick<
  Exvenue,
  | 'openOrders'
  | 'openOrderNames'
  | 'dexesWithOrders'
  | 'orderStatus'
  | 'historicalOrders'
  | 'recentFills'
  | 'fills'
  | 'funding'
>;

const marketReads = (query: QueryInfo, catalogue: Catalogue): MarketReads => ({
  asset: catalogue.find,
  assetId: catalogue.id,
  assets: (dex = '', limits) => catalogue.list(dex, limits),
  dexes: async (limits) => {
    const dexes = await catalogue.dexes(limits);
    return dexes.kind === 'found' ? found(dexes.data.map(({ name }) => name)) : dexes;
  },
  markets: async (name = '', limits) => {
    const dex = await catalogue.dex(name, limits);
    if (dex.kind !== 'found') return dex;
    return query({ body: { type: 'metaAndAssetCtxs', ...onDex(name) } }, limits, foundOr(readMarkets(dex.data)));
  },
  mids: pricesFrom(query),
});

/** See venues/exchange.md#rate-limits. */
const ROLE_WEIGHT = 60;

const accountReads = (query: QueryInfo, catalogue: Catalogue): AccountReads => {
  const account = (user: WalletAddress, dex = '', limits?: CallLimits): Promise<ReadResult<PerpAccount>> =>
    query(
      { body: of('clearinghouseState', user, onDex(dex)), weight: readWeights.light },
      limits,
      foundOr(readAccount(dex)),
    );
  return {
    account,
    accounts: async (user, limits) => {
      const dexes = await catalogue.dexes(limits);
      if (dexes.kind !== 'found') return dexes;
      const names = ['', ...dexes.data.map(({ name }) => name)];
      return every(await Promise.all(names.map((name) => account(user, name, limits))));
    },
    leverage: (user, coin, limits) =>
      query({ body: of('activeAssetData', user, { coin }) }, limits, foundOr(readLeverage)),
    accountMode: (user, limits) => query({ body: of('userAbstraction', user) }, limits, foundOr(readMode)),
    spotBalances: (user, limits) =>
      query({ body: of('spotClearinghouseState', user), weight: readWeights.light }, limits, foundOr(readBalances)),
    role: (user, limits) => query({ body: of('userRole', user), weight: ROLE_WEIGHT }, limits, foundOr(readRole)),
    agents: (user, limits) => query({ body: of('extraAgents', user) }, limits, foundOr(readAgents)),
    unnamedAgent: (user, limits) => query({ body: of('webData2', user) }, limits, readUnnamedAgent(user)),
    actionBudget: (user, limits) => query({ body: of('userRateLimit', user) }, limits, foundOr(readActionBudget)),
  };
};

type Shared = { pageOfFills: ReturnType<typeof fillPages>; updates: OrderUpdates };

const orderReads = (query: QueryInfo, catalogue: Catalogue, { pageOfFills, updates }: Shared): OrderReads => ({
  openOrders: (user, dex = '', limits) =>
    query({ body: of('frontendOpenOrders', user, onDex(dex)) }, limits, foundOr(readOpenOrders(dex))),
  openOrderNames: (user, dex = '', limits) =>
    query({ body: of('frontendOpenOrders', user, onDex(dex)) }, limits, foundOr(readOrderNames(dex))),
  dexesWithOrders: dexesWithOrders(query, catalogue),
  historicalOrders: (user, limits) =>
    query({ body: of('historicalOrders', user), costsRows: true }, limits, foundOr(readHistory)),
  orderStatus: async (user, name, limits) => {
    const oid = wireName(name);
    const body = of('orderStatus', user, { oid });
    const read = await query({ body, weight: readWeights.light }, limits, readStatus(oid));
    const cloid = typeof oid === 'string' ? oid : read.kind === 'found' ? read.data.order.cloid : null;
    return cloid === null ? read : latestOf(read, await updates.find(cloid), typeof oid === 'number');
  },
  recentFills: (user, limits) =>
    query({ body: of('userFills', user), costsRows: true }, limits, foundOr(readFills(user))),
  fills: (user, { fromMs, toMs }, limits) =>
    allFills(fromMs, (startMs, isNext) => pageOfFills({ user, fromMs: startMs, toMs, isNext }, limits)),
  funding: (user, fromMs, limits) =>
    allFunding(fromMs, (startTime) =>
      query(
        { body: of('userFunding', user, { startTime }), costsRows: true, expectRows: 0 },
        limits,
        foundOr(readFunding),
      ),
    ),
});

/** Up to this number, asking every dex is no more expensive than reading the history that names those with orders. */
const FEW_DEXES = 2;

/** The history names all dexes with open orders, unless it is too long to be whole. */
const dexesWithOrders =
  (query: QueryInfo, catalogue: Catalogue): Exvenue['dexesWithOrders'] =>
  async (user, limits) => {
    const dexes = await catalogue.dexes(limits);
    if (dexes.kind !== 'found') return dexes;
    const names = dexes.data.map(({ name }) => name);
    if (names.length <= FEW_DEXES) return found(names);
    const body = of('historicalOrders', user);
    const coins = await query({ body, costsRows: true }, limits, foundOr(readOpenCoins));
    if (coins.kind !== 'found') return coins;
    const { data } = coins;
    return found(data === 'unknown' ? names : names.filter((name) => data.some((coin) => coin.startsWith(`${name}:`))));
  };

const of = (type: string, user: WalletAddress, more: object = {}) => ({ type, user: user.toLowerCase(), ...more });

/** The venue's own dex is not named in requests. */
const onDex = (dex: string) => (dex === '' ? {} : { dex });

const wireName = (name: number | string) => (typeof name === 'string' ? name.toLowerCase() : name);

/** All results, or the first that was not found: a partial list would understate the account. */
const every = <T>(lookups: ReadResult<T>[]): ReadResult<T[]> => {
  const missing = lookups.find(({ kind }) => kind !== 'found');
  if (missing && missing.kind !== 'found') return missing;
  return found(lookups.flatMap((lookup) => (lookup.kind === 'found' ? [lookup.data] : [])));
};
