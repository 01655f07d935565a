import { Resolver } from 'node:dns/promises';
import { cachedRead } from '../../kernel/cache.ts';
import { within } from '../../kernel/within.ts';
import { epochMs } from '../../kernel/work.ts';
import { addressGuard } from './guard.ts';
import { type Posted, poster } from './post.ts';
import { signedHeaders } from './sign.ts';
import type { Judged, Outgoing, Resolve, SentRequest, Target, Webhooks } from './types.ts';

const TOTAL_MS = 10_000; // DNS, connect, send and response status together
const MAX_ADDRESSES = 3; // tried one after another until bytes may have been sent

type Options = { allowLoopback: boolean; resolve?: Resolve; totalMs?: number };

/** Client for partners' webhook endpoints. Every request goes to an IP address that was checked for that request. */
export function webhooks({ allowLoopback, resolve = nameResolver(), totalMs = TOTAL_MS }: Options): Webhooks {
  const judge = addressGuard({ allowLoopback, resolve });
  const { post, close } = poster();
  return {
    judge: (url) => inTime(judge(url), totalMs),
    close,
    async send(outgoing) {
      const startedAt = performance.now();
      const elapsed = () => performance.now() - startedAt;
      const judged = await inTime(judge(outgoing.url), totalMs);
      const posted =
        judged.kind === 'allowed'
          ? await postInTurn(post, judged.target, outgoing, () => totalMs - elapsed())
          : notPosted(judged);
      return data(posted, Math.round(elapsed()));
    },
  };
}

const notPosted = ({ kind }: Exclude<Judged, { kind: 'allowed' }>): Posted => ({
  kind: 'fault',
  fault: kind === 'forbidden' ? 'address_forbidden' : 'dns',
  isSent: false,
  isStale: false,
});

/** Posts to the first address that accepts a connection. A stale keep-alive connection is replaced once. */
async function postInTurn(
  post: ReturnType<typeof poster>['post'],
  target: Target,
  outgoing: Outgoing,
  leftMs: () => number,
): Promise<Posted> {
  const body = Buffer.from(outgoing.body);
  const headers = signedHeaders(outgoing, body, Math.floor(epochMs() / 1000));
  let posted = notPosted({ kind: 'unresolved' });
  for (const address of target.addresses.slice(0, MAX_ADDRESSES)) {
    const requested = { target, address, headers, body };
    posted = await post({ ...requested, withinMs: leftMs() });
    if (posted.kind === 'fault' && posted.isStale) posted = await post({ ...requested, withinMs: leftMs() }, true);
    if (posted.kind === 'response' || posted.isSent || leftMs() <= 0) break;
  }
  return posted;
}

const data = (posted: Posted, durationMs: number): SentRequest =>
  posted.kind === 'fault'
    ? { kind: 'fault', fault: posted.fault, durationMs }
    : {
        kind: 'response',
        status: posted.status,
        text: posted.text,
        retryAfterS: secondsOf(posted.retryAfter),
        durationMs,
      };

/** Seconds of a `Retry-After` header: a number or a date (RFC 9110, section 10.2.3). Null if missing or invalid. */
function secondsOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - epochMs()) / 1000);
}

/** Bounds a check in time. A name that takes longer counts as unresolved. */
const inTime = async (judging: Promise<Judged>, withinMs: number): Promise<Judged> =>
  (await within(judging, withinMs)) ?? { kind: 'unresolved' };

const ASK_MS = 2_000; // per try; without a DNS response nothing is sent to the receiver
const ATTEMPTS = 2;
const FRESH_MS = 5_000; // one query per burst of deliveries; each delivery still checks the addresses

/** Names that are loopback by definition (RFC 6761, section 6.3). No DNS query is sent. */
const LOCAL = /^(.+\.)?localhost\.?$/i;

type Resolved = { kind: 'found'; addresses: string[] } | { kind: 'unreadable' };

/**
 * Queries the name servers for IPv4 and IPv6 addresses. It does not use the system resolver: its few threads are shared
 * by the whole process, and a name without a response would block them.
 */
function nameResolver(): Resolve {
  const resolver = new Resolver({ timeout: ASK_MS, tries: ATTEMPTS });
  const query = cachedRead(FRESH_MS, async (hostname: string): Promise<Resolved> => {
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
