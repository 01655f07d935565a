import type { Context } from 'koa';
import { ApiError } from '../kernel/errors.ts';

/** What programs send that always send a body. */
const MEMBERLESS = /^(\{\s*\}|\[\s*\]|null)?$/;
const MOST_BYTES = 1_024; // more is not blank

/**
 * Throws INVALID_REQUEST for a body with members of an operation that takes none: its caller takes them for a part of the request, such as the
 * pair whose orders a cancellation is to be about. MALFORMED_BODY for one that breaks off.
 */
export async function requireNoMembers({ req }: Pick<Context, 'req'>): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
  if (length === '0' && coding === undefined) return;
  const text = await beginningOf(req);
  if (text.length <= MOST_BYTES && MEMBERLESS.test(text.trim())) return;
  const fields = [{ loc: ['body'], msg: 'must be empty: the operation takes none', type: 'empty' }];
  throw new ApiError('INVALID_REQUEST', { effect: 'none', fields });
}

/** The first bytes of a body as text. The rest is discarded: else it would be read as the next request of the connection. */
async function beginningOf(req: Context['req']): Promise<string> {
  let text = '';
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      text += chunk.toString('latin1');
      if (text.length > MOST_BYTES) break;
    }
  } catch {
    throw new ApiError('MALFORMED_BODY');
  }
  req.resume();
  return text;
}
