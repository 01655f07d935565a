import type { OrderView, PerpAccount, PerpPosition } from '../../adapters/exvenue/types.ts';
import type { components } from '../../contract/types.ts';
import { absolute, dividedBy, isPositive, isZero } from '../../kernel/decimals.ts';
import type { VenueReads } from '../reads.ts';
import { coinPair } from '../rules.ts';
import { known, must } from '../traders.ts';

type Position = components['schemas']['Position'];

const PLACES = 10;

/** The open positions of a wallet over all dexes, with the exits that watch them. Refuses where a part could not be read. */
export async function readPositions(reads: VenueReads, wallet: string): Promise<Position[]> {
  const accounts = must(await reads.accounts(wallet)).map(withPositions);
  const held = accounts.filter(({ positions }) => positions.length > 0);
  const orders = await Promise.all(held.map(async ({ dex }) => must(await reads.exchangeOrders(wallet, dex))));
  return held.flatMap(({ positions }, n) => positions.map((position) => shown(position, orders[n] ?? [])));
}

const withPositions = (account: PerpAccount) => ({
  ...account,
  positions: account.positions.filter(({ size }) => !isZero(size)),
});

/** The exchange does not tell since when a position is open. */
function shown(position: PerpPosition, orders: OrderView[]): Position {
  const exits = orders.flatMap(withChildren).filter(({ coin }) => coin === position.coin);
  const size = absolute(position.size);
  return {
    symbol: coinPair(position.coin),
    side: isPositive(position.size) ? 'long' : 'short',
    size,
    position_value: position.positionValue,
    entry_price: known(position.entryPrice),
    mark_price: dividedBy(position.positionValue, size, PLACES, 'down'),
    liquidation_price: position.liquidationPrice,
    unrealized_pnl: position.unrealizedPnl,
    take_profit: exits.find(({ exit }) => exit === 'tp')?.triggerPrice ?? null,
    stop_loss: exits.find(({ exit }) => exit === 'sl')?.triggerPrice ?? null,
    open_time: null,
    position_uuid: null,
    trade_pair: null,
    net_leverage: null,
    fees: null,
  };
}

const withChildren = (order: OrderView): OrderView[] => [order, ...order.children];
