import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../kernel/errors.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Guards the operator's cookie against requests from pages of another origin. Returns true for safe methods and for our
 * own origin, else throws FORBIDDEN_ORIGIN. Browsers send `Origin` with every unsafe request (Fetch standard, 3.2), so
 * a request without it is rejected.
 */
export function requireSameOrigin(request: { method: string; headers: IncomingHttpHeaders }, publicUrl: string): true {
  const { origin, host } = request.headers;
  if (SAFE.has(request.method)) return true;
  if (origin !== undefined && URL.canParse(origin)) {
    const from = new URL(origin);
    const publicOrigin = new URL(publicUrl);
    if (from.origin === publicOrigin.origin || (from.host === host && from.protocol === publicOrigin.protocol))
      return true;
  }
  throw new ApiError('FORBIDDEN_ORIGIN');
}
