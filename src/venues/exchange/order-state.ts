import type { OrderRecord } from './adapter/types.ts';

/** Whether an order has ended, by its record: it never opens again. A state that is unknown proves nothing. */
export const hasEnded = ({ state }: Pick<OrderRecord, 'state'>): boolean =>
  state === 'filled' || state === 'cancelled' || state === 'rejected';
