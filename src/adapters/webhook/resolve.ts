import { Resolver } from 'node:dns/promises';
import { cachedRead } from '../../kernel/cache.ts';
import type { Resolve } from './types.ts';

const ASK_MS = 2_000; // per try; without a DNS response nothing is sent to the receiver
const ATTEMPTS = 2;
const FRESH_MS = 5_000; // one query per burst of deliveries; each delivery still checks the addresses

/** Names that are loopback by definition (RFC 6761, section 6.3). No DNS query is sent. */
const LOCAL = /^(.+\.)?localhost\.?$/i;

type UpstreamResult = { kind: 'found'; addresses: string[] } | { kind: 'unreadable' };

/**
 * Queries the name servers for IPv4 and IPv6 addresses. It does not use the system resolver: its few threads are shared
 * by the whole process, and a name without a response would block them.
 */
export function nameResolver(): Resolve {
  const resolver = new Resolver({ timeout: ASK_MS, tries: ATTEMPTS });
  const query = cachedRead(FRESH_MS, async (hostname: string): Promise<UpstreamResult> => {
    const responses = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = responses.flatMap((resolved) => (resolved.status === 'fulfilled' ? resolved.value : []));
    return addresses.length > 0 ? { kind: 'found', addresses } : { kind: 'unreadable' };
  });
  return async (hostname) => {
    if (LOCAL.test(hostname)) return ['127.0.0.1', '::1'];
    const resolved = await query(hostname);
    return resolved.kind === 'found' ? resolved.addresses : [];
  };
}
