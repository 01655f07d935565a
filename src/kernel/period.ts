import { ApiError } from './errors.ts';

/** A period of a query: from a time on, and before another one (ISO 8601). */
export type Period = { from?: string | undefined; to?: string | undefined };

/** Throws INVALID_REQUEST for a period that ends before it begins: an empty list would say that nothing happened in it. */
export function requirePeriod({ from, to }: Period): void {
  if (from === undefined || to === undefined || !(Date.parse(from) > Date.parse(to))) return;
  throw badQuery('from', 'must not be after to');
}

/** INVALID_REQUEST for a member of a query that the contract's schema cannot reject. */
export const badQuery = (name: string, msg: string): ApiError =>
  new ApiError('INVALID_REQUEST', { fields: [{ loc: ['query', name], msg, type: 'value' }] });
