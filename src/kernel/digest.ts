import { createHash } from 'node:crypto';
import { isUuid } from './ids.ts';

/** The SHA-256 of a text, as bytes. Bearer secrets are stored in this form only. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The SHA-256, in hex, of the JSON of `parts` with sorted members. The order of members does not change it, nor the case
 * of UUIDs.
 */
export const requestDigest = (...parts: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(sorted)))
    .digest('hex');

function sorted(value: unknown): unknown {
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
