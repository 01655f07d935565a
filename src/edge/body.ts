import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import type { Operation } from '../contract/document.ts';
import { isStorable } from '../kernel/json.ts';
import { Refusal } from '../kernel/refusals.ts';

const FORM = 'application/x-www-form-urlencoded';
const LARGEST_BODY = '128kb'; // the network's miner reads 256 KB at most; no body of the contract comes near

const parse = koaBody({
  json: true,
  jsonStrict: true,
  jsonLimit: LARGEST_BODY,
  urlencoded: true,
  formLimit: LARGEST_BODY,
  text: false,
  multipart: false,
  includeUnparsed: true, // signatures are over the bytes as they came
  onError: (error) => {
    throw 'status' in error && error.status === 413 ? new Refusal('BODY_TOO_LARGE') : new Refusal('MALFORMED_BODY');
  },
});

/** Reads the body an operation asks for. Refuses other content types, too much, and what does not parse. */
export async function readBody(ctx: Context, operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined;
  const hasBody = ctx.request.length !== 0 && (ctx.request.length !== undefined || ctx.get('Transfer-Encoding') !== '');
  if (!hasBody && !operation.body.required) return undefined;
  if (hasBody && !ctx.is(operation.body.contentType)) throw wrongType(operation.body.contentType);
  await parse(ctx as Parameters<typeof parse>[0], noNext); // koa-body types its own context, ours is the same object
  if (!isStorable(ctx.request.body)) throw new Refusal('MALFORMED_BODY');
  return ctx.request.body;
}

/** A form operation takes anything else for a malformed request, as the specification says of the token endpoint. */
const wrongType = (wanted: string) =>
  wanted === FORM
    ? new Refusal('INVALID_REQUEST', {
        fields: [{ loc: ['header', 'Content-Type'], msg: `must be ${FORM}`, type: 'content_type' }],
      })
    : new Refusal('UNSUPPORTED_MEDIA_TYPE');

const noNext: Next = async () => {};
