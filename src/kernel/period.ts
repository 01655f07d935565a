import { ApiError } from './errors.ts';

/** A period of a query: from a time on, and before another one (ISO 8601). */
export type Period = { from?: string | undefined; to?: string | undefined };

/** Throws INVALID_REQUEST for a period that ends before it begins: an empty list would say that nothing happened in it. */
export function requirePeriod({ from, to }: Period): void {
  if (from === undefined || to === undefined || !(Date.parse(from) > Date.parse(to))) return;
  throw new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['query', 'from'], msg: 'must not be after to', type: 'value' }],
  });
}
