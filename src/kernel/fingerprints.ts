import { createHash } from 'node:crypto';

const DIGITS = 4; // 16 bits: two values differ in it, but for one pair of 65,536, and no value can be told from it

/** A fingerprint of each value, by name, to compare processes. */
export const fingerprints = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, fingerprint(`${name}\n${JSON.stringify(value) ?? ''}`)]),
  );

const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
