import type { Dashboard } from '../../adapters/netvenue/types.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { drawdownOf } from '../balance/drawdown.ts';
import { isOpen, provenPositions } from '../positions/network.ts';
import type { VenueReads } from '../reads.ts';
import { findPair } from '../rules/pairs.ts';
import { accountStatusOf, isOpenTo } from '../rules.ts';
import { known, must, type NetworkTrader } from '../traders.ts';
import { amountsOf, minimumOf } from './amounts.ts';
import { capsOf, exposureOf } from './caps.ts';
import type { TradeFacts } from './rules.ts';
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
  const buyingPower = dashboard.money?.buyingPower ?? null;
  return {
    ...nothingKnown,
    ...account,
    pair: { asked: trade.pair, state: pair.state, isOpenToAccount: isOpenTo(dashboard.assetClass, pair) },
    minimum: opens === '0' ? null : minimumOf(pair, amounts, known(dashboard.accountSize)),
    opens,
    caps: capsOf({ pair, pairs, limits, balance: known(dashboard.money?.balance) }, exposures),
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
