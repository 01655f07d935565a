/** The media type of the texts below (RFC 4180, section 3). */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

type Value = string | number | null;

/** One line of CSV (RFC 4180), with its line break. Null is an empty field. */
export const csvLine = (values: readonly Value[]): string => `${values.map(field).join(',')}\r\n`;

const field = (value: Value): string => {
  const text = harmless(String(value ?? ''));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * A text that no spreadsheet takes for a formula: what begins like one, and is no number, gets an apostrophe
 * (OWASP, CSV injection).
 */
const harmless = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
