import { ApiError } from '../kernel/errors.ts';
import type { ReadResult } from '../kernel/upstream-result.ts';

/** The data of a read. Throws VENUE_UNREADABLE if it failed or the object is absent. */
export function requireFound<T>(read: ReadResult<T>): T {
  if (read.kind !== 'found') throw new ApiError('VENUE_UNREADABLE');
  return read.data;
}

/** The data of a read; null if the object is absent. Throws VENUE_UNREADABLE if the read failed. */
export function foundOrNull<T>(read: ReadResult<T>): T | null {
  if (read.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE');
  return read.kind === 'found' ? read.data : null;
}

/** A value that the response needs. Throws VENUE_UNREADABLE if the venue omitted it; no default is assumed. */
export function requireValue<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new ApiError('VENUE_UNREADABLE');
  return value;
}
