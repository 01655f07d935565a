import type { Authorization } from './credentials.ts';
import { errorOf } from './errors.ts';
import { backoffMs, isRetryable, pause, retryAfterMs } from './retry.ts';
import { eventsIn, type StreamEvent } from './server-sent-events.ts';

/** Options of a stream. `after`: the id of the last event seen earlier; without one it begins with a snapshot. */
export type StreamOptions = {
  after?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** A connection on which nothing arrives for so long is replaced; comments arrive every 15 s. */
  silenceMs?: number;
};

const SILENCE_MS = 45_000;

/** What a stream needs of its client. */
type Opener = { url: string; fetch: typeof fetch; authorize: Authorization; usual: Record<string, string> };

/**
 * The events of a stream, in order. A connection that ends or breaks is replaced by one that goes on after the last
 * event, until the signal is aborted or the loop is left. Throws the `ServiceError` of a response that is not
 * retryable, such as one for credentials that ended.
 */
export async function* resumingEvents(opener: Opener, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void> {
  const { signal, silenceMs = SILENCE_MS } = options;
  let after = options.after;
  for (let failures = 0; !signal?.aborted; ) {
    const { body, waitMs } = await opened(opener, options, after);
    try {
      if (body)
        for await (const event of eventsIn(body, silenceMs)) {
          failures = 0;
          after = event.id ?? after;
          yield event;
        }
    } catch {
      // the connection broke; a new one goes on after the last event
    }
    failures += 1;
    await pause(Math.max(waitMs, backoffMs(Math.min(failures, 8))), signal).catch(() => {}); // the loop ends
  }
}

type Opened = { body: ReadableStream<Uint8Array> | null; waitMs: number };

async function opened(opener: Opener, { headers, signal }: StreamOptions, after: string | undefined): Promise<Opened> {
  const [name, value] = await opener.authorize.header();
  const all = new Headers({ ...opener.usual, ...headers, Accept: 'text/event-stream', [name]: value });
  if (after !== undefined) all.set('Last-Event-ID', after);
  const { fetch, url } = opener; // browsers accept no call of `fetch` as a method
  const response = await fetch(url, { headers: all, ...(signal && { signal }) }).catch(() => null);
  if (response?.ok) return { body: response.body, waitMs: 0 };
  if (!response) return { body: null, waitMs: 0 };
  const isRenewed = response.status === 401 && opener.authorize.renew(value);
  const text = await response.text().catch(() => '');
  if (!isRenewed && !isRetryable(response.status, text)) throw errorOf(text, { status: response.status });
  return { body: null, waitMs: retryAfterMs(response.headers) };
}
