import { canonical, isDecimal, isPositive } from '../../../kernel/decimals.ts';
import { calendarMs, epochMs } from '../../../kernel/work.ts';

/** An object of untrusted JSON. Read every member with one of the readers below. */
export type Fields = Record<string, unknown>;

/** The object, or null for any other value, including arrays. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null; // as: just proven

/** A safe integer, else null. */
export const integerOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);

/** A time in epoch ms that RFC 3339 can express, else null. */
export const timeMsOf = (value: unknown): number | null => calendarMs(integerOf(value));

/** More than any two clocks differ. */
const AHEAD_MS = 24 * 60 * 60_000;

/** A time that is not of the future, else null: from a row that is newer than all others on, the next ones are read. */
export const pastMsOf = (value: unknown): number | null => {
  const ms = timeMsOf(value);
  return ms !== null && ms < epochMs() + AHEAD_MS ? ms : null;
};

/** A non-empty string, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Longer than every decimal of the venue. To compute with one of millions of digits would stop the process. */
const LONGEST_DECIMAL = 100;

/** The canonical form of a decimal string (the venue writes `1.0`). Null for any other value, including numbers. */
export const decimalOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= LONGEST_DECIMAL && isDecimal(value) ? canonical(value) : null;

/** The canonical form of a decimal string above 0, else null. */
export const positiveOf = (value: unknown): string | null => {
  const decimal = decimalOf(value);
  return decimal !== null && isPositive(decimal) ? decimal : null;
};

/** A 0x-prefixed hex string in lower case, else null. */
export const hexOf = (value: unknown): string | null =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : null;

/** The members, where every one of them could be read, else null. */
export const complete = <T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], null> } | null =>
  // as: just proven
  Object.values(members).includes(null) ? null : (members as { [Name in keyof T]: Exclude<T[Name], null> });

/** A list whose rows are read one by one. `unread`: the names of rows that cannot be read, null for a row whose name cannot be read either. */
export type Rows<T> = { rows: T[]; unread: (string | null)[] };

/**
 * Reads the rows of a list one by one, so that a row of an unknown form does not affect the others. Null if the value is not a list, or if none of
 * its rows can be read: then it is another kind of list.
 */
export const rowsOf = <T>(value: unknown, read: (row: unknown, index: number) => T | null): Rows<T> | null => {
  if (!Array.isArray(value)) return null;
  const results = value.map(read);
  const rows = results.filter((row) => row !== null);
  const unread = value.filter((_, n) => results[n] === null).map((row) => textOf(fieldsOf(row)?.name));
  return rows.length > 0 || value.length === 0 ? { rows, unread } : null;
};

/** The members if no two of them have the same name, else null: a sum would count one twice. */
export const namedOnce = <T>(members: T[] | null, nameOf: (member: T) => unknown): T[] | null =>
  new Set(members?.map(nameOf)).size === members?.length ? members : null;

/**
 * Reads every member of a list. Null if the value is not a list or one member is unreadable: a partly read list would
 * wrongly prove that something is missing.
 */
export const everyOf = <T>(value: unknown, read: (member: unknown, index: number) => T | null): T[] | null => {
  if (!Array.isArray(value)) return null;
  const members = value.map(read).filter((member) => member !== null);
  return members.length === value.length ? members : null;
};
