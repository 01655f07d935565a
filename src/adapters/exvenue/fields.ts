import { canonical, isDecimal } from '../../kernel/decimals.ts';

/** An object of untrusted JSON: every member has to be asked for with one of the readers below. */
export type Fields = Record<string, unknown>;

/** The object itself, or null for anything else, arrays included. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null; // as: just proven

/** A whole number that JSON can carry exactly, else null. */
export const integerOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);

/** A string that is not empty, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The one spelling of a decimal string (the venue writes `1.0`), null for anything else, numbers included. */
export const decimalOf = (value: unknown): string | null =>
  typeof value === 'string' && isDecimal(value) ? canonical(value) : null;

/** A 0x-hex name in lower case, else null. */
export const hexOf = (value: unknown): string | null =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : null;

/**
 * Every member of a list as read; null where it is no list or one member cannot be read. A list read in part would prove
 * that something is missing.
 */
export const everyOf = <T>(value: unknown, read: (member: unknown, index: number) => T | null): T[] | null => {
  if (!Array.isArray(value)) return null;
  const members = value.map(read).filter((member) => member !== null);
  return members.length === value.length ? members : null;
};
