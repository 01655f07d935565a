import type { Authorization } from './credentials.ts';
import { errorOf, retryAfterMs, ServiceError } from './errors.ts';
import { backoffMs, isRetryable, pause, unlessAborted } from './retry.ts';
import { eventsIn, type StreamEvent } from './server-sent-events.ts';
import { isOutdated, withHeaders } from './transport.ts';

/** Options of a stream. `after`: the id of the last event seen earlier; without one it begins with a snapshot. */
export type StreamOptions = {
  after?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** A connection on which nothing arrives for this time, not even a response, is replaced; comments arrive every 15 s. */
  silenceMs?: number;
};

const SILENCE_MS = 45_000;
const MOST_FAILURES = 8; // beyond it the wait does not grow
const LASTED_MS = 10_000; // a connection that lasted this long was good, even if no event came

/** What a stream needs of its client. */
type Opener = { url: string; fetch: typeof fetch; authorize: Authorization; headers: Record<string, string> };

/**
 * The events of a stream, in order. A connection that ends or breaks is replaced by one that goes on after the last
 * event, until the signal is aborted or the loop is left. Throws the `ServiceError` of a response that is not
 * retryable, such as one for credentials that ended.
 */
export async function* resumingEvents(opener: Opener, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void> {
  const { signal, silenceMs = SILENCE_MS } = options;
  const position: Position = { after: options.after, isRenewed: false };
  for (let failures = 0; !signal?.aborted; ) {
    const beganAt = Date.now();
    const { body, waitMs } = await opened(opener, options, position);
    try {
      if (body)
        for await (const event of eventsIn(body, silenceMs)) {
          failures = 0;
          position.after = event.id ?? position.after;
          yield event;
        }
    } catch {
      // the connection broke; a new one goes on after the last event
    }
    failures = Date.now() - beganAt > LASTED_MS ? 1 : failures + 1;
    await pause(Math.max(waitMs, backoffMs(Math.min(failures, MOST_FAILURES))), signal).catch(() => {}); // the loop ends
  }
}

/** Where the next connection continues, and whether the token was renewed since the last one was open. */
type Position = { after: string | undefined; isRenewed: boolean };
type Opened = { body: ReadableStream<Uint8Array> | null; waitMs: number };

const NOT_NOW: Opened = { body: null, waitMs: 0 };

async function opened(opener: Opener, options: StreamOptions, position: Position): Promise<Opened> {
  const { headers, signal, silenceMs = SILENCE_MS } = options;
  const { fetch, url, authorize } = opener; // not called as a method, which browsers reject
  const credential = await unlessAborted(authorize.header(), signal).catch((error) => retryableOnly(error, signal));
  if (!credential) return NOT_NOW;
  const all = withHeaders(opener.headers, headers);
  all.set('Accept', 'text/event-stream');
  all.set(...credential);
  if (position.after !== undefined) all.set('Last-Event-ID', position.after);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const ended = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const response = await fetch(url, { headers: all, redirect: 'error', signal: ended }).catch(() => null);
  const text = response && !response.ok ? await response.text().catch(() => '') : '';
  clearTimeout(timer);
  if (!response) return NOT_NOW;
  if (response.ok) {
    position.isRenewed = false;
    return { body: response.body, waitMs: 0 };
  }
  if (!position.isRenewed && isOutdated(response) && authorize.renew(credential[1])) position.isRenewed = true;
  else if (!isRetryable(response.status, text)) throw errorOf({ text, response });
  return { body: null, waitMs: retryAfterMs(response.headers) };
}

/** Null for a retryable error, and for any error once the signal is aborted. Throws every other error. */
function retryableOnly(error: unknown, signal: AbortSignal | undefined): null {
  if (signal?.aborted || (error instanceof ServiceError && error.retryable)) return null;
  throw error;
}
