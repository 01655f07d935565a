import { isZero, minus } from '../../kernel/decimals.ts';
import type { OrderRecord, OrderView } from './adapter/types.ts';

type Sizes = Pick<OrderView, 'size' | 'originalSize' | 'reduceOnly'>;

/**
 * The size that was filled of an order, by its own record. Null of a reduce-only one that is no longer as large as it was: the
 * exchange shrinks it with its position and keeps the size that was asked for, so only executions tell. See
 * venues/exchange.md#reduce-only.
 */
export function filledSizeOf({ size, originalSize, reduceOnly }: Sizes, state: OrderRecord['state']): string | null {
  const open = state === 'filled' ? '0' : size;
  const filled = minus(originalSize, open);
  return reduceOnly && !isZero(filled) ? null : filled;
}
