import type { components } from '../../../contract/types.ts';
import { absolute, dividedBy, isPositive, isZero } from '../../../kernel/decimals.ts';
import { displayPair } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { requireFound, requireValue } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import type { OpenOrder, PerpAccount, PerpPosition } from '../adapter/types.ts';
import { protectionOf } from '../protection.ts';

type Position = components['schemas']['Position'];

const PLACES = 10;

/** The open positions of a wallet on all dexes, with their exits. Throws VENUE_UNREADABLE if a part cannot be read. */
export async function readPositions(reads: VenueReads, wallet: WalletAddress): Promise<Position[]> {
  const accounts = requireFound(await reads.accounts(wallet)).map(withPositions);
  const held = accounts.filter(({ positions }) => positions.length > 0);
  const orders = await Promise.all(held.map(async ({ dex }) => requireFound(await reads.exchangeOrders(wallet, dex))));
  return held.flatMap(({ positions }, n) => positions.map((position) => shown(position, orders[n] ?? [])));
}

const withPositions = (account: PerpAccount) => ({
  ...account,
  positions: account.positions.filter(({ size }) => !isZero(size)),
});

/** `open_time` is null: the exchange does not report it. */
function shown(position: PerpPosition, orders: OpenOrder[]): Position {
  const size = absolute(position.size);
  return {
    symbol: displayPair(position.coin),
    side: isPositive(position.size) ? 'long' : 'short',
    position_type: isPositive(position.size) ? 'LONG' : 'SHORT',
    size,
    position_value: position.positionValue,
    entry_price: requireValue(position.entryPrice),
    mark_price: dividedBy(position.positionValue, size, PLACES, 'down'),
    liquidation_price: position.liquidationPrice,
    unrealized_pnl: position.unrealizedPnl,
    take_profit: protectionOf(orders, position, 'tp'),
    stop_loss: protectionOf(orders, position, 'sl'),
    open_time: null,
    position_uuid: null,
    trade_pair: null,
    net_leverage: null,
    current_return: null,
    fees: null,
  };
}
