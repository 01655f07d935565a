import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';

/**
 * A document that is the same for everyone. It is hashed and compressed once, because that takes milliseconds for a megabyte and anybody may request
 * it.
 */
export type StaticDocument = { type: string; bytes: Buffer; etag: string; compressed?: Promise<Buffer> };

/** Makes a document of its content. */
export function staticDocument(type: string, content: string | Buffer): StaticDocument {
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return { type, bytes, etag: `W/"${hash}"` }; // weak: shared by all encodings
}

/** Responds with a document, or with 304 if the ETag shows that the client has it. */
export function sendDocument(ctx: Context, { type, bytes, etag }: StaticDocument): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set('ETag', etag);
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = bytes;
}

/**
 * As `sendDocument`, compressed if the client accepts that. Only for public documents without secrets: if a response contains a secret beside text of
 * the caller, its compressed length reveals the secret (BREACH).
 */
export async function sendCompressed(ctx: Context, document: StaticDocument): Promise<void> {
  ctx.vary('Accept-Encoding');
  sendDocument(ctx, document);
  if (ctx.status === 304 || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
  document.compressed ??= compressed(document.bytes);
  ctx.body = await document.compressed;
  ctx.set('Content-Encoding', 'gzip');
}

const compressed = promisify(gzip);
