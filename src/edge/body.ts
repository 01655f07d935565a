import { isUtf8 } from 'node:buffer';
import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import type { Operation } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import { isStorable, parseJson } from './json.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MAX_BODY = '128kb'; // the network's miner reads at most 256 KB; bodies of the contract are far smaller

const UTF_8 = /^(utf-?8)?$/i;
const MAX_FIELDS = 32; // of a form: those of the contract have five

const parseOf: Record<string, (text: string) => object> = { [JSON_TYPE]: parseJson, [FORM]: parseForm };

/** Reads the bytes, after decompression: koa-body would decode and parse what is not UTF-8 as if it were. */
const read = koaBody({
  json: false,
  urlencoded: false,
  multipart: false,
  text: true,
  textTypes: [JSON_TYPE, FORM],
  textLimit: MAX_BODY,
  encoding: 'latin1',
  onError: (error) => {
    throw 'status' in error && error.status === 413 ? new ApiError('BODY_TOO_LARGE') : new ApiError('MALFORMED_BODY');
  },
});

/**
 * Reads the body of an operation; undefined if it takes none. Throws UNSUPPORTED_MEDIA_TYPE, also for another charset
 * than UTF-8, BODY_TOO_LARGE, MALFORMED_BODY for bytes that are no UTF-8 and whatever `parseJson` and `parseForm` throw,
 * and INVALID_REQUEST for a wrong content type of a form operation.
 */
export async function readBody(ctx: Context, operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined;
  const hasBody = ctx.request.length !== 0 && (ctx.request.length !== undefined || ctx.get('Transfer-Encoding') !== '');
  if (!hasBody && !operation.body.required) return undefined;
  const { contentType } = operation.body;
  if (hasBody && ctx.get('Content-Type') !== contentType) checkType(ctx, contentType); // costs ten times the comparison
  await read(ctx as Parameters<typeof read>[0], noNext); // koa-body types its own context, ours is the same object
  const bytes = Buffer.from((ctx.request.body as string | undefined) ?? '', 'latin1');
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_BODY');
  const text = bytes.toString();
  ctx.state.rawBody = text; // signatures are computed over it
  const body = text === '' ? {} : parseOf[contentType]?.(text);
  Object.assign(ctx.request, { body });
  return body;
}

function checkType(ctx: Context, expected: string): void {
  if (!ctx.is(expected)) throw wrongType(expected);
  if (!UTF_8.test(ctx.request.charset)) throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
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

/**
 * The members of a form. Throws MALFORMED_BODY for one that is not UTF-8, that cannot be stored, or that is there twice
 * (RFC 6749, section 3.2).
 */
function parseForm(text: string): Record<string, string> {
  const entries = text === '' ? [] : text.split('&', MAX_FIELDS + 1).map(member);
  if (entries.length > MAX_FIELDS) throw new ApiError('BODY_TOO_LARGE');
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
