import { createHash } from 'node:crypto';

/** SHA-256 of a text, as bytes. What is stored of every bearer secret. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** SHA-256 of a request's meaning: the same members in any order give the same digest. */
export const requestDigest = (...parts: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(sorted)))
    .digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
