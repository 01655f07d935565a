import { isUtf8 } from 'node:buffer';
import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import type { Operation } from '../contract/document.ts';
import { ApiError, type FieldError } from '../kernel/errors.ts';
import { DECODERS, decoded, MAX_BYTES } from './codings.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

const UTF_8 = /^(utf-?8)?$/i;
const CODINGS = 'must be gzip, deflate, br or identity';
const MAX_FIELDS = 32; // of a form: those of the contract have five
const noNext: Next = async () => {};

const parseOf: Record<string, (text: string) => object> = { [JSON_TYPE]: parseJson, [FORM]: parseForm };

/** Reads the raw bytes: koa-body would decode bytes that are not UTF-8 without an error. */
const read = koaBody({
  json: false,
  urlencoded: false,
  multipart: false,
  text: true,
  textTypes: [JSON_TYPE, FORM],
  textLimit: `${MAX_BYTES}`,
  encoding: 'latin1',
  onError: (error) => {
    throw 'status' in error && error.status === 413 ? new ApiError('BODY_TOO_LARGE') : new ApiError('MALFORMED_BODY');
  },
});

/**
 * Reads the body of an operation; undefined if it takes none. Throws UNSUPPORTED_MEDIA_TYPE, also for another charset
 * than UTF-8 and an unknown coding, or INVALID_REQUEST instead for a form operation; BODY_TOO_LARGE; and MALFORMED_BODY
 * for bytes that are no UTF-8 and whatever `parseJson` and `parseForm` throw.
 */
export async function readBody(ctx: Context, operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined;
  const hasBody = ctx.request.length !== 0 && (ctx.request.length !== undefined || ctx.get('Transfer-Encoding') !== '');
  if (!hasBody && !operation.body.required) return undefined;
  const { contentType } = operation.body;
  if (hasBody && ctx.get('Content-Type') !== contentType) checkType(ctx, contentType); // costs ten times the comparison
  const coding = ctx.get('Content-Encoding').toLowerCase() || 'identity';
  if (!isCoding(coding)) throw unsupported(contentType, 'Content-Encoding', CODINGS);
  const bytes = await bytesOf(ctx, coding);
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_BODY');
  const text = bytes.toString();
  ctx.state.rawBody = text; // signatures are computed over it
  const body = text === '' ? {} : parseOf[contentType]?.(text);
  ctx.state.body = body;
  return body;
}

type Coding = keyof typeof DECODERS | 'identity';

const isCoding = (coding: string): coding is Coding => coding === 'identity' || Object.hasOwn(DECODERS, coding);

/**
 * The bytes of a body, after decompression. Throws BODY_TOO_LARGE, and MALFORMED_BODY for one that cannot be decoded or breaks off. The rest of a
 * rejected body is discarded: otherwise it would be read as the next request of the connection, which behind some proxies is another caller's.
 */
async function bytesOf(ctx: Context, coding: Coding): Promise<Buffer> {
  const { req } = ctx;
  const source = coding === 'identity' ? req : decoded(req, coding);
  const reading: Parameters<typeof read>[0] = Object.create(ctx, { req: { value: source } }); // koa-body types its own context
  await read(reading, noNext).finally(() => {
    req.unpipe().resume();
    if (source !== req) source.destroy();
  });
  return Buffer.from((ctx.request.body as string | undefined) ?? '', 'latin1');
}

const NOT_ASCII = /[^\0-\x7f]/;

/** The text of a header, whose bytes Node reads as Latin-1. Throws MALFORMED_BODY for bytes that are no UTF-8. */
export function utf8Of(header: string): string {
  if (!NOT_ASCII.test(header)) return header;
  const bytes = Buffer.from(header, 'latin1');
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_BODY');
  return bytes.toString();
}

/** Throws MALFORMED_BODY for a path or query whose percent-encoded bytes are no UTF-8: they would be read as another text. */
export function requireUtf8({ url }: Pick<Context, 'url'>): void {
  if (!url.includes('%')) return;
  try {
    decodeURIComponent(url.replaceAll(NO_ESCAPE, ''));
  } catch {
    throw new ApiError('MALFORMED_BODY');
  }
}

const NO_ESCAPE = /%(?![0-9a-f]{2})/gi; // stands for itself

function checkType(ctx: Context, expected: string): void {
  if (!ctx.is(expected)) throw unsupported(expected, 'Content-Type', `must be ${expected}`);
  if (!UTF_8.test(ctx.request.charset)) throw unsupported(expected, 'Content-Type', 'must have no charset but utf-8');
}

/** For a form operation it is an invalid request, as the specification requires of the token endpoint. */
const unsupported = (expected: string, header: string, msg: string) =>
  new ApiError(expected === FORM ? 'INVALID_REQUEST' : 'UNSUPPORTED_MEDIA_TYPE', {
    fields: [{ loc: ['header', header], msg, type: header.toLowerCase().replace('-', '_') }],
  });

/**
 * The members of a form that have a value: one without is as good as absent (RFC 6749, section 3.2). Throws MALFORMED_BODY
 * for one that is not UTF-8, that cannot be stored, or that is there twice (the same section).
 */
function parseForm(text: string): Record<string, string> {
  const members = text.split('&', MAX_FIELDS + 1).map(member);
  if (members.length > MAX_FIELDS) throw new ApiError('BODY_TOO_LARGE');
  const entries = members.filter(([, value]) => value !== '');
  const form = Object.fromEntries(entries);
  if (Object.keys(form).length < entries.length || !entries.flat().every(isStorable))
    throw new ApiError('MALFORMED_BODY');
  return form;
}

function member(pair: string): [string, string] {
  const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
  try {
    return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
  } catch {
    throw new ApiError('MALFORMED_BODY');
  }
}

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
 * Parses a JSON object or array. Throws BODY_TOO_LARGE for one of more than `MAX_VALUES` values or nested deeper than `MAX_DEPTH`, found before it is
 * parsed, so that such a body costs little; INVALID_REQUEST for what is no JSON, and for a number that would be read as another one; and
 * MALFORMED_BODY if a member occurs twice, or a name or text cannot be stored.
 */
export function parseJson(text: string): object {
  const members = countMembers(text);
  const value = parsed(text);
  const stored = countStorable(value);
  if (typeof stored !== 'number') throw malformedJson('must be text that can be stored', ...stored);
  if (members !== stored) throw malformedJson('must have no member twice');
  const changed = MAY_CHANGE.test(text) ? numbersOf(text).find(isChanged) : undefined;
  if (changed !== undefined) throw invalidJson(`${TOO_LONG}; not ${changed.slice(0, 40)}`);
  return value;
}

const malformedJson = (msg: string, ...path: FieldError['loc']) =>
  new ApiError('MALFORMED_BODY', { fields: [{ loc: ['body', ...path], msg, type: 'json' }] });

/** What is in every text with a number that may change. */
const MAY_CHANGE = /\d{16}|\de\+?\d{2}/i;
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const NUMBERS = /-?\d[\d.e+-]*/gi;
const TOO_LONG = 'must have numbers that a double holds, with all digits of an integer; others are sent as text';

const numbersOf = (json: string): string[] => json.replaceAll(STRINGS, '""').match(NUMBERS) ?? [];

/** Whether JavaScript reads a number as another one: an integer beyond 2^53 that no double holds, or one beyond all doubles. */
function isChanged(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  return !Number.isSafeInteger(value) && /^-?\d+$/.test(number) && BigInt(number) !== BigInt(value);
}

function parsed(text: string): object {
  try {
    if (BEGINS.test(text)) return JSON.parse(text);
  } catch {} // reported below
  throw invalidJson('must be a JSON object or array');
}

const invalidJson = (msg: string) =>
  new ApiError('INVALID_REQUEST', { effect: 'none', fields: [{ loc: ['body'], msg, type: 'json' }] });

// Character codes: the loop below runs for every character of a body.
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

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

/** The number of members of a parsed value, or where in it is a name or text that cannot be stored. */
function countStorable(value: unknown): number | FieldError['loc'] {
  if (typeof value === 'string') return isStorable(value) ? 0 : [];
  if (value === null || typeof value !== 'object') return 0;
  let members = 0;
  for (const [name, inside] of Object.entries(value)) {
    const below = isStorable(name) && name !== '__proto__' ? countStorable(inside) : [];
    if (typeof below !== 'number') return [Array.isArray(value) ? Number(name) : name, ...below];
    members += below + (Array.isArray(value) ? 0 : 1);
  }
  return members;
}
