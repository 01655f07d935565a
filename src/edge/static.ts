import etag from '@koa/etag';
import type { Context, Middleware, Next } from 'koa';
import compress from 'koa-compress';
import conditionalGet from 'koa-conditional-get';

/**
 * Responds with 304 if the ETag shows that the client has the document. For documents that are the same for everyone.
 */
export const revalidated: Middleware[] = [conditionalGet(), etag({ weak: true })]; // weak: shared by all encodings

/**
 * The same, compressed with an encoding that the client accepts. Only for public documents without secrets: if a
 * response contains a secret beside text of the caller, its compressed length reveals the secret (BREACH). Event
 * streams are not compressed.
 */
export const publicDocument: Middleware[] = [compress(), uncompressedIfNoneFits, ...revalidated];

/** A client that accepts no encoding, nor its absence, gets the document as it is (RFC 9110, section 12.5.3); `compress` fails. */
function uncompressedIfNoneFits(ctx: Context, next: Next): Promise<void> {
  if (!ctx.acceptsEncodings('gzip', 'deflate', 'br', 'zstd', 'identity')) Object.assign(ctx, { compress: false });
  return next();
}
