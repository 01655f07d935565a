import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../kernel/refusals.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses with FORBIDDEN_ORIGIN a change that a page of another origin makes with the operator's cookie. A browser names the
 * origin on every unsafe request (Fetch standard, 3.2); what names none is no browser and has no business with a cookie.
 */
export function isOwnOrigin(request: { method: string; headers: IncomingHttpHeaders }, publicUrl: string): true {
  const { origin, host } = request.headers;
  if (SAFE.has(request.method)) return true;
  if (origin !== undefined && URL.canParse(origin)) {
    const from = new URL(origin);
    const own = new URL(publicUrl);
    if (from.origin === own.origin || (from.host === host && from.protocol === own.protocol)) return true;
  }
  throw new Refusal('FORBIDDEN_ORIGIN');
}
