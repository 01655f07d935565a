import { Resolver } from 'node:dns/promises';
import { fresh } from '../../kernel/fresh.ts';
import type { Resolve } from './types.ts';

const ASK_MS = 2_000; // per try; a receiver whose name servers are silent gets no attempt out of it
const TRIES = 2;
const FRESH_MS = 5_000; // a burst of deliveries to one name asks once; the answer is checked again for every one of them

/** Loopback by definition (RFC 6761, section 6.3), without asking anyone. */
const LOCAL = /^(.+\.)?localhost\.?$/i;

type Answer = { kind: 'found'; addresses: string[] } | { kind: 'unreadable' };

/**
 * Asks the name servers for both families of addresses. It does not use the system's resolver, whose few threads the whole
 * process shares: a name that never answers would hold them up for everyone.
 */
export function nameResolver(): Resolve {
  const resolver = new Resolver({ timeout: ASK_MS, tries: TRIES });
  const ask = fresh(FRESH_MS, async (hostname: string): Promise<Answer> => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return addresses.length > 0 ? { kind: 'found', addresses } : { kind: 'unreadable' };
  });
  return async (hostname) => {
    if (LOCAL.test(hostname)) return ['127.0.0.1', '::1'];
    const answer = await ask(hostname);
    return answer.kind === 'found' ? answer.addresses : [];
  };
}
