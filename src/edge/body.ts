import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import type { Operation } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BODY = '128kb'; // the network's miner reads at most 256 KB; bodies of the contract are far smaller

const parse = koaBody({
  json: true,
  jsonStrict: true,
  jsonLimit: MAX_BODY,
  urlencoded: true,
  formLimit: MAX_BODY,
  text: false,
  multipart: false,
  includeUnparsed: true, // signatures are computed over the raw bytes
  onError: (error) => {
    throw 'status' in error && error.status === 413 ? new ApiError('BODY_TOO_LARGE') : new ApiError('MALFORMED_BODY');
  },
});

/**
 * Reads the body of an operation; undefined if it takes none. Throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE or
 * MALFORMED_BODY, and INVALID_REQUEST for a wrong content type of a form operation.
 */
export async function readBody(ctx: Context, operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined;
  const hasBody = ctx.request.length !== 0 && (ctx.request.length !== undefined || ctx.get('Transfer-Encoding') !== '');
  if (!hasBody && !operation.body.required) return undefined;
  const { contentType } = operation.body;
  const isOfType = ctx.get('Content-Type') === contentType || ctx.is(contentType); // the first costs a tenth of the second
  if (hasBody && !isOfType) throw wrongType(contentType);
  await parse(ctx as Parameters<typeof parse>[0], noNext); // koa-body types its own context, ours is the same object
  if (!isStorable(ctx.request.body)) throw new ApiError('MALFORMED_BODY');
  return ctx.request.body;
}

/**
 * For a form operation, another content type is an invalid request, as the specification requires of the token
 * endpoint.
 */
const wrongType = (expected: string) =>
  expected === FORM
    ? new ApiError('INVALID_REQUEST', {
        fields: [{ loc: ['header', 'Content-Type'], msg: `must be ${FORM}`, type: 'content_type' }],
      })
    : new ApiError('UNSUPPORTED_MEDIA_TYPE');

const noNext: Next = async () => {};

const MAX_DEPTH = 64; // far beyond any body of the contract, and safe for recursive functions

/** Characters that PostgreSQL cannot store in a text: NUL, and unpaired surrogates. */
const UNSTORABLE = /[\0\ud800-\udfff]/u;

/**
 * Whether a parsed body can be processed and stored: nested at most `MAX_DEPTH` deep, with storable names and texts.
 */
export function isStorable(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH || level.some((item) => typeof item === 'string' && UNSTORABLE.test(item))) return false;
    level = level.flatMap(inside);
  }
  return true;
}

function inside(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value !== null && typeof value === 'object' ? Object.entries(value).flat() : [];
}
