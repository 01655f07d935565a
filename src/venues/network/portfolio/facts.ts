import { ofNumber } from '../../../kernel/decimals.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import { requireFound, requireValue } from '../../found.ts';
import { accountStatusOf, type VenueReads } from '../../reads.ts';
import { neutralFacts, type Trade, type TradeFacts } from '../../trade.ts';
import type { Dashboard, OrderBook, TradePair } from '../adapter/types.ts';
import { amountsOf, minimumOf, type Sized } from './amounts.ts';
import { capsOf, exposureOf } from './caps.ts';
import { drawdownOf } from './drawdown.ts';
import { isOpenTo } from './names.ts';
import { findPair } from './pairs.ts';
import { isOpen, provenPositions } from './positions.ts';

const PLACES = 8;

/** The facts to validate a trade on the network, some of them without a price. Throws VENUE_UNREADABLE. */
export async function readNetworkFacts(reads: VenueReads, hotkey: Hotkey, trade: Trade): Promise<TradeFacts> {
  const [registry, shown, limited] = await Promise.all([
    reads.tradePairs(),
    reads.dashboard(hotkey),
    reads.limits(hotkey),
  ]);
  const [pairs, dashboard, limits] = [requireFound(registry), requireFound(shown), requireFound(limited)];
  const pair = findPair(pairs, trade.pair);
  const account = accountFacts(dashboard);
  if (!pair) return { ...neutralFacts, ...account, pair: { asked: trade.pair, state: null, isOpenToAccount: true } };
  const positions = (await provenPositions(dashboard, () => reads.networkOrders(hotkey))).filter(isOpen);
  const exposures = positions.map((position) => exposureOf(position, dashboard));
  const amounts = await amountsOf(reads, pair, trade, [
    async () => ordersIn(dashboard).filter(worthAsMuchAs(pair, pairs)),
    async () => listedIn(await reads.networkOrders(hotkey)).filter(worthAsMuchAs(pair, pairs)),
  ]);
  const held = exposures.find(({ tradePair }) => tradePair === pair.tradePair);
  const reduces = held !== undefined && held.side !== trade.side; // an opposite order never reverses a position
  const opens = reduces ? '0' : (amounts.value ?? SOME);
  const buyingPower = dashboard.money?.buyingPower ?? null;
  return {
    ...neutralFacts,
    ...account,
    pair: { asked: trade.pair, state: pair.state, isOpenToAccount: isOpenTo(dashboard.assetClass, pair) },
    minimum: opens === '0' ? null : minimumOf(pair, amounts, requireValue(dashboard.accountSize)),
    opens,
    isPriced: reduces || amounts.value !== null,
    caps: capsOf({ pair, pairs, limits, balance: requireValue(dashboard.money?.balance) }, exposures),
    funds: buyingPower === null ? null : { needed: opens, available: ofNumber(Math.max(0, buyingPower), PLACES) },
  };
}

/** New exposure of an unknown amount: every order would violate what it violates. */
const SOME = '0.00000001';

type Listed = Sized & { tradePair: string | null };

/** The orders of a dashboard. Those of positions are in the pair of their position. */
const ordersIn = ({ positions, openOrders }: Dashboard): Listed[] => [
  ...positions.flatMap(({ tradePair, filledOrders }) => filledOrders.map((order) => ({ ...order, tradePair }))),
  ...openOrders,
];

/** All orders of a subaccount, also those that its dashboard does not show any more. */
const listedIn = (book: ReadResult<OrderBook>): Listed[] =>
  book.kind === 'found' ? [...book.data.filled, ...book.data.unfilled, ...book.data.cancelled] : [];

/**
 * Selects orders whose unit has the same value as one of a pair: those in the pair, and of a currency pair all with the
 * same base currency, since a lot is an amount of it.
 */
function worthAsMuchAs(pair: TradePair, pairs: TradePair[]): (order: Listed) => boolean {
  const base = (tradePair: string) => tradePair.slice(0, 3);
  const isAlike = ({ tradePair, category }: TradePair) =>
    tradePair === pair.tradePair ||
    (category === 'forex' && pair.category === 'forex' && base(tradePair) === base(pair.tradePair));
  const alike = new Set(pairs.filter(isAlike).map(({ tradePair }) => tradePair));
  return ({ tradePair }) => tradePair !== null && alike.has(tradePair);
}

/** The status of an account at the network, and its drawdowns with their limits, in percent. */
export function accountFacts(dashboard: Dashboard): Pick<TradeFacts, 'account' | 'drawdowns'> {
  const { intraday, intradayLimit, overall, overallLimit } = drawdownOf(dashboard);
  return {
    account: accountStatusOf(dashboard),
    drawdowns: [
      {
        rule: 'drawdown.intraday',
        current: ofNumber(requireValue(intraday), PLACES),
        limit: ofNumber(requireValue(intradayLimit), PLACES),
      },
      {
        rule: dashboard.overallRule,
        current: ofNumber(requireValue(overall), PLACES),
        limit: ofNumber(requireValue(overallLimit), PLACES),
      },
    ],
  };
}
