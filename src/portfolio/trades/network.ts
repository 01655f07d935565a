import type { Dashboard, DashboardPosition, TradePair } from '../../adapters/netvenue/types.ts';
import { compare, dividedBy, ofNumber, plus, times } from '../../kernel/decimals.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { drawdownOf } from '../balance/account.ts';
import { pairMultiple } from '../balance/limits.ts';
import { isOpen, provenPositions } from '../positions/network.ts';
import type { VenueReads } from '../reads.ts';
import { findPair } from '../rules/pairs.ts';
import { accountStatusOf, dexOf, isOpenTo } from '../rules.ts';
import { known, must, type NetworkTrader } from '../traders.ts';
import { type Cap, leastOf, type TradeFacts, valuePerUnit } from './rules.ts';
import type { Trade } from './trade.ts';

const PLACES = 8;

/** What a trade on the network is judged by. Refuses where a venue could not be read, or nobody has a price to judge it at. */
export async function readNetworkFacts(
  reads: VenueReads,
  { hotkey }: NetworkTrader,
  trade: Trade,
): Promise<TradeFacts> {
  const [registry, shown, limited] = await Promise.all([
    reads.tradePairs(),
    reads.dashboard(hotkey),
    reads.limits(hotkey),
  ]);
  const [pairs, dashboard, limits] = [must(registry), must(shown), must(limited)];
  const pair = findPair(pairs, trade.pair);
  const account = accountFacts(dashboard);
  if (!pair) return { ...nothingKnown, ...account, pair: { asked: trade.pair, state: null, isOpenToAccount: true } };
  const positions = (await provenPositions(dashboard, () => reads.networkOrders(hotkey))).filter(isOpen);
  const exposures = positions.map((position) => exposureOf(position, dashboard));
  const amounts = await amountsOf(reads, pair, trade);
  const held = exposures.find(({ tradePair }) => tradePair === pair.tradePair);
  const opens = held && held.side !== trade.side ? '0' : amounts.value; // an opposite order never turns a position round
  const balance = known(dashboard.money?.balance);
  const multiple = pairMultiple(limits, pair);
  const caps: Cap[] = [
    ...(multiple === null ? [] : [cap('leverage.pair_max', pair.display, held ? [held] : [], multiple * balance)]),
    ...classCap(limits.classUsd, pair, exposures, pairs),
    cap('leverage.portfolio_max', 'The portfolio', exposures, limits.portfolioUsd),
  ];
  const buyingPower = dashboard.money?.buyingPower ?? null;
  return {
    ...nothingKnown,
    ...account,
    pair: { asked: trade.pair, state: pair.state, isOpenToAccount: isOpenTo(dashboard.assetClass, pair) },
    minimum: opens === '0' ? null : minimumOf(pair, amounts, known(dashboard.accountSize)),
    opens,
    caps,
    funds: buyingPower === null ? null : { needed: opens, available: ofNumber(Math.max(0, buyingPower), PLACES) },
  };
}

/** How an account the network follows stands: its status, and how near it is to its drawdown limits. */
export function accountFacts(dashboard: Dashboard): Pick<TradeFacts, 'account' | 'drawdowns'> {
  const { intraday, intradayLimit, endOfDay, endOfDayLimit } = drawdownOf(dashboard);
  return {
    account: accountStatusOf(dashboard),
    drawdowns: [
      {
        rule: 'drawdown.intraday',
        current: ofNumber(known(intraday), PLACES),
        limit: ofNumber(known(intradayLimit), PLACES),
      },
      {
        rule: 'drawdown.eod',
        current: ofNumber(known(endOfDay), PLACES),
        limit: ofNumber(known(endOfDayLimit), PLACES),
      },
    ],
  };
}

/** Facts of a trade of which only the pair is judged. */
export const nothingKnown: TradeFacts = {
  pair: { asked: '', state: null, isOpenToAccount: true },
  fault: null,
  minimum: null,
  account: 'active',
  drawdowns: [],
  leverage: null,
  opens: '0',
  caps: [],
  funds: null,
};

type Exposure = { tradePair: string; side: 'long' | 'short'; usd: string };

function exposureOf(position: DashboardPosition, { money, accountSize }: Dashboard): Exposure {
  const { tradePair, side, netValue, netLeverage } = position;
  const usd = netValue ?? known(netLeverage) * known(money?.balance ?? accountSize);
  return { tradePair, side: side === 'SHORT' ? 'short' : 'long', usd: ofNumber(Math.abs(usd), PLACES) };
}

const cap = (rule: string, name: string, exposures: Exposure[], limitUsd: number): Cap => ({
  rule,
  name,
  held: exposures.reduce((sum, { usd }) => plus(sum, usd), '0'),
  limit: ofNumber(limitUsd, PLACES),
});

function classCap(
  classUsd: Record<string, number> | null,
  pair: TradePair,
  exposures: Exposure[],
  pairs: TradePair[],
): Cap[] {
  const limit = classUsd?.[pair.category];
  if (limit === undefined) return [];
  const classOf = new Map(pairs.map(({ tradePair, category }) => [tradePair, category]));
  const alike = exposures.filter(({ tradePair }) => classOf.get(tradePair) === pair.category);
  return [cap('leverage.class_max', `All of ${pair.category}`, alike, limit)];
}

type Amounts = { value: string; quantity: string | null };

/** What the order is worth in USD and how much of the pair it is. A size in USD needs no price. */
async function amountsOf(reads: VenueReads, pair: TradePair, trade: Trade): Promise<Amounts> {
  const unit = valuePerUnit(pair, trade.price ?? (await midOf(reads, pair)));
  if (trade.sizeInUsd) {
    const quantity = unit === null || compare(unit, '0') === 0 ? null : dividedBy(trade.size, unit, PLACES, 'down');
    return { value: trade.size, quantity };
  }
  if (unit === null) {
    throw new Refusal('V1_NO_PRICE', {
      message: 'No price is known for this pair; give its price, or its size in USD.',
    });
  }
  return { value: times(trade.size, unit), quantity: trade.size };
}

/** The exchange's mid of a pair it lists too; the network itself publishes no prices. */
async function midOf(reads: VenueReads, { exCoin }: TradePair): Promise<string | null> {
  if (exCoin === null) return null;
  const mids = await reads.mids(dexOf(exCoin));
  return mids.kind === 'found' ? (mids.said[exCoin] ?? null) : null;
}

function minimumOf({ category }: TradePair, { value, quantity }: Amounts, accountSize: number): TradeFacts['minimum'] {
  const { least, unit } = leastOf(category, accountSize);
  const actual = unit === 'USD' ? value : quantity;
  return actual === null ? null : { actual, least, unit };
}
