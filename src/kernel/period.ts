import { ApiError } from './errors.ts';

/** A period of a query: from a time on, and before another one (ISO 8601). */
export type Period = { from?: string | undefined; to?: string | undefined };

/** Throws INVALID_REQUEST for a period that ends before it begins: an empty list would say that nothing happened in it. */
export function requirePeriod({ from, to }: Period): void {
  if (from === undefined || to === undefined || timeMs(from) <= timeMs(to)) return;
  throw badQuery('from', 'must not be after to');
}

/**
 * A time of a request in epoch ms, as PostgreSQL reads it. The contract allows more forms than JavaScript reads: a leap second, an offset
 * in hours or without a colon, small letters, and a space, with which JavaScript takes the year 50 for 1950.
 */
export function timeMs(text: string): number {
  const [, time = '', second = '', zone = ''] = /^(.{16}):(\d\d)(.*)$/.exec(text.toUpperCase().replace(' ', 'T')) ?? [];
  const isLeap = second === '60';
  const offset = zone.replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  return Date.parse(`${time}:${isLeap ? '59' : second}${offset}`) + (isLeap ? 1_000 : 0);
}

/** INVALID_REQUEST for a member of a query that the contract's schema cannot reject. */
export const badQuery = (name: string, msg: string): ApiError =>
  new ApiError('INVALID_REQUEST', { fields: [{ loc: ['query', name], msg, type: 'value' }] });
