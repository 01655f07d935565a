import type { ErrorCode } from './error-codes.ts';
import { ApiError, type ErrorDetails } from './errors.ts';

/** Returns the value. Throws an `ApiError` with `code` if it is null or undefined. */
export function requireValue<T>(value: T | null | undefined, code: ErrorCode, details?: ErrorDetails): T {
  if (value === null || value === undefined) throw new ApiError(code, details);
  return value;
}
