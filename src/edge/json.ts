import { ApiError } from '../kernel/errors.ts';

/** Far beyond any body of the contract, and safe for recursive functions. */
const MAX_DEPTH = 64;
/** Members and entries of a body, at all depths together: a body of the contract has some hundred at most. */
const MAX_VALUES = 1_000;

/** Characters that PostgreSQL cannot store in a text: NUL, and unpaired surrogates. */
const UNSTORABLE = /[\0\ud800-\udfff]/u;
const BEGINS = /^[\t\n\r ]*[[{]/;

/** Whether a text of a request can be stored. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/**
 * Parses a JSON object or array. Throws BODY_TOO_LARGE for one of more than `MAX_VALUES` values or nested deeper than
 * `MAX_DEPTH`, found before it is parsed, so that such a body costs little; INVALID_REQUEST for what is no JSON; and
 * MALFORMED_BODY if a member stands twice, or a name or text cannot be stored.
 */
export function parseJson(text: string): object {
  const members = countMembers(text);
  const value = parsed(text);
  if (members !== countStorable(value)) throw new ApiError('MALFORMED_BODY');
  return value;
}

function parsed(text: string): object {
  try {
    if (BEGINS.test(text)) return JSON.parse(text);
  } catch {} // reported below
  const fault = { loc: ['body'], msg: 'must be a JSON object or array', type: 'json' };
  throw new ApiError('INVALID_REQUEST', { effect: 'none', fields: [fault] });
}

// Character codes: the loop below runs for every character of a body.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

/** The number of members written in a JSON text, of every object in it. A text that is no JSON gets any number. */
function countMembers(text: string): number {
  let members = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === QUOTE) at = endOfString(text, at);
    else if (mark === COLON) members += 1;
    else if (mark === COMMA) values += 1;
    else if (mark === OPEN_BRACKET || mark === OPEN_BRACE) {
      depth += 1;
      values += 1;
    } else if (mark === CLOSE_BRACKET || mark === CLOSE_BRACE) depth -= 1;
    if (values > MAX_VALUES || depth > MAX_DEPTH) throw new ApiError('BODY_TOO_LARGE', { message: TOO_MANY });
  }
  return members;
}

const TOO_MANY = `The body has more than ${MAX_VALUES} values, or is nested deeper than ${MAX_DEPTH}.`;

/** The position of the quote that ends the string beginning at `from`, or the end of the text. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Whether a parsed value has more than `most` members and entries, at all depths together. */
export function hasMoreValues(value: unknown, most: number): boolean {
  const left: unknown[] = [value];
  for (let seen = 0; left.length > 0; seen += 1) {
    if (seen > most) return true;
    const next = left.pop();
    if (next !== null && typeof next === 'object') left.push(...Object.values(next));
  }
  return false;
}

/** The number of members of a parsed value. Null: a name or text in it cannot be stored. */
function countStorable(value: unknown): number | null {
  if (typeof value === 'string') return isStorable(value) ? 0 : null;
  if (value === null || typeof value !== 'object') return 0;
  let members = 0;
  for (const [name, inside] of Object.entries(value)) {
    const below = countStorable(inside);
    if (below === null || !isStorable(name) || name === '__proto__') return null;
    members += below + (Array.isArray(value) ? 0 : 1);
  }
  return members;
}
