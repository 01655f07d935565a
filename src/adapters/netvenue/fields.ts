/** An object of untrusted JSON: every member has to be asked for with one of the readers below. */
export type Fields = Record<string, unknown>;

/** The object itself, or null for anything else, arrays included. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null; // as: just proven

/** A finite number, also where it came as a string of digits; null for anything else. */
export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** A string that is not empty, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The first of the named members that is there at all: the venue spells the same thing in several ways. */
export const anyOf = (fields: Fields, ...names: string[]): unknown => {
  const name = names.find((candidate) => fields[candidate] !== undefined && fields[candidate] !== null);
  return name === undefined ? null : fields[name];
};

/** Members of a list, or of a dictionary under the name of their key; null where the value is neither. */
export const entriesOf = (value: unknown): [key: string | null, member: unknown][] | null => {
  if (Array.isArray(value)) return value.map((member): [null, unknown] => [null, member]);
  const fields = fieldsOf(value);
  return fields && Object.entries(fields);
};
