import { z } from 'zod';
import type { Problem } from '../../../intents/intent.ts';
import { legCloid } from '../../../kernel/exchange-names.ts';
import { exitPrice, marketPrice, type Side } from '../../../kernel/grid.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import type { OrderTerms } from '../adapter/action-types.ts';
import type { Asset, OpenOrder } from '../adapter/types.ts';
import { isProtecting } from '../protection.ts';
import { invalidOrder } from './order.ts';
import type { ExitPrices } from './rules.ts';

/**
 * The maximum slippage of a triggered exit: 10 % from its trigger price. The venue uses the same value for its users.
 */
const EXIT_SLIPPAGE = '0.1';

/** The exits of a position as separate orders. The cloid of each is derived from the intent's id. */
export function exitOrders(
  intentId: IntentId,
  { take_profit, stop_loss }: ExitPrices,
  { asset, position, size }: { asset: Asset; position: 'long' | 'short'; size: string },
): OrderTerms[] | { fail: Problem } {
  const side: Side = position === 'long' ? 'sell' : 'buy';
  const orders: OrderTerms[] = [];
  for (const [kind, requested] of [
    ['tp', take_profit],
    ['sl', stop_loss],
  ] as const) {
    if (requested === null) continue;
    const trigger = exitPrice(asset.grid, position, requested);
    const price = trigger && marketPrice(asset.grid, side, trigger, EXIT_SLIPPAGE);
    if (!trigger || !price) return invalidOrder('bad_trigger_price');
    orders.push({
      asset: asset.id,
      side,
      price,
      size,
      reduceOnly: true,
      cloid: legCloid(intentId, kind),
      trigger: { price: trigger, kind, isMarket: true },
    });
  }
  return orders;
}

/** Schema of an exit that was open before new ones were placed. */
export const oldExit = z.object({ leg: z.enum(['tp', 'sl']), oid: z.number(), triggerPrice: z.string().nullable() });

/** An exit that was open before new ones were placed. */
export type OldExit = z.infer<typeof oldExit>;

/** The exits that protect the position of a coin whose closing side is `side`. New exits replace them leg by leg. */
export const exitsOn = (orders: OpenOrder[], position: { coin: string; side: Side }): OldExit[] =>
  orders
    .filter((order) => isProtecting(order, position))
    .map(({ exit, oid, triggerPrice }) => ({ leg: exit, oid, triggerPrice }));
