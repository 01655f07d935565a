import { setTimeout as wait } from 'node:timers/promises';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { absolute, dividedBy, isPositive, isZero } from '../../../kernel/decimals.ts';
import { dexOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { requireFound, requireValue } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import type { OpenOrder, PerpAccount, PerpPosition } from '../adapter/types.ts';
import { listPositionTimes } from '../ledger/queries.ts';
import { protectionOf } from '../protection.ts';

type Position = components['schemas']['Position'];

const PLACES = 10;

type Deps = { db: Db; reads: VenueReads };

/**
 * The open positions of a wallet on all dexes, with their exits. Reads that are older than a recorded execution are made again
 * for a few seconds; `as_of` is the time of the state that is shown. Throws VENUE_UNREADABLE if a part cannot be read.
 */
export async function readPositions({ db, reads }: Deps, wallet: WalletAddress): Promise<Position[]> {
  const accounts = (await readCaughtUp({ db, reads }, wallet)).map(withPositions);
  const held = accounts.filter(({ positions }) => positions.length > 0);
  const orders = await Promise.all(held.map(async ({ dex }) => requireFound(await reads.exchangeOrders(wallet, dex))));
  return held.flatMap(({ positions, atMs }, n) => positions.map((position) => shown(position, orders[n] ?? [], atMs)));
}

/** How often a read that is behind is made again, and the pause before it: caches are a second old at most. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** The accounts of a wallet, none older than the newest recorded execution on its dex, if that is shown within seconds. */
async function readCaughtUp({ db, reads }: Deps, wallet: WalletAddress): Promise<PerpAccount[]> {
  const newest = new Map<string, number>();
  for (const { coin, filled_ms } of await listPositionTimes(db, wallet))
    newest.set(dexOf(coin), Math.max(newest.get(dexOf(coin)) ?? 0, filled_ms));
  for (let attempt = 1; ; attempt += 1) {
    const accounts = requireFound(await reads.accounts(wallet));
    if (attempt === ATTEMPTS || accounts.every(({ dex, atMs }) => atMs >= (newest.get(dex) ?? 0))) return accounts;
    await wait(PAUSE_MS);
  }
}

const withPositions = (account: PerpAccount) => ({
  ...account,
  positions: account.positions.filter(({ size }) => !isZero(size)),
});

/** `open_time` is null: the exchange does not report it. */
function shown(position: PerpPosition, orders: OpenOrder[], atMs: number): Position {
  const size = absolute(position.size);
  const value = requireValue(position.positionValue);
  return {
    symbol: displayPair(position.coin),
    side: isPositive(position.size) ? 'long' : 'short',
    position_type: isPositive(position.size) ? 'LONG' : 'SHORT',
    size,
    position_value: value,
    entry_price: requireValue(position.entryPrice),
    mark_price: dividedBy(value, size, PLACES, 'down'),
    liquidation_price: position.liquidationPrice,
    unrealized_pnl: requireValue(position.unrealizedPnl),
    take_profit: protectionOf(orders, position, 'tp'),
    stop_loss: protectionOf(orders, position, 'sl'),
    open_time: null,
    position_uuid: null,
    trade_pair: null,
    net_leverage: null,
    current_return: null,
    fees: null,
    as_of: new Date(atMs).toISOString(),
  };
}
