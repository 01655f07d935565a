import { absolute, isPositive, isZero } from '../../kernel/decimals.ts';
import { end, isOpen } from './book.ts';
import { execute } from './positions.ts';
import { accountOf, heldOf, type Order, type World } from './world.ts';

/** Liquidates a position at the mid price: the venue ends the account's orders and trades for it. False without a position. */
export const liquidate = (world: World, address: string, name: string): boolean => {
  const owner = accountOf(world, address);
  const coin = world.coins.get(name);
  const held = coin ? heldOf(owner, coin) : '0';
  if (!coin || isZero(held)) return false;
  for (const order of [...owner.orders.values()]) if (isOpen(order)) end(world, order, 'liquidatedCanceled');
  const size = absolute(held);
  const now = Date.now();
  const order: Order = {
    ...{ oid: world.nextOid, cloid: null, owner, coin, isBuy: !isPositive(held), price: coin.mid, size },
    ...{ originalSize: size, filledSize: '0', filledValue: '0', reduceOnly: true, tif: 'Ioc', trigger: null },
    ...{ followsPosition: false, parent: null, children: [], live: false, fired: false },
    ...{ status: 'filled', placedMs: now, statusMs: now },
  };
  world.nextOid += 1;
  const fill = execute(world, order, size, coin.mid, true);
  fill.liquidation = { liquidatedUser: address, markPx: coin.mid, method: 'market' };
  return true;
};
