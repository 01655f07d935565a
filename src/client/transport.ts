import type { Authorization } from './credentials.ts';
import { membersOf, ServiceError, throwAsUnknown, throwAsUnsent } from './errors.ts';
import { type Outcome, pause, type RetryPolicy, unlessAborted, waitBefore } from './retry.ts';

/** A request as it is sent, but for its credentials. A repeat is the same request, under the same Idempotency-Key. */
export type SentRequest = { method: string; url: string; headers: Headers; body: string };

/**
 * A request and the text of its response. `mayHaveActed`: an earlier attempt had no readable response, so a later error
 * is no proof that nothing happened.
 */
export type Exchange = { sent: SentRequest; text: string; mayHaveActed: boolean };

/** What the transport needs. `timeoutMs` bounds one attempt; the service responds within 26 s. */
export type TransportOptions = RetryPolicy & {
  fetch: typeof fetch;
  timeoutMs: number;
  /** Headers of every request that does not name its own. */
  headers: Record<string, string>;
};

/** Sends requests, and repeats them by the policy. A response that arrives has its body in memory. */
export type Transport = {
  /** Throws NO_RESPONSE if no attempt had a response, and the reason of an aborted signal. */
  send(sent: SentRequest, signal?: AbortSignal | null): Promise<Response>;
  /** The request and the text of a response; undefined for a response of another client. */
  exchangeOf(response: Response): Exchange | undefined;
};

/** Reads a request into memory and gives a write its key. */
export async function sentFrom(request: Request, { headers: usual }: TransportOptions): Promise<SentRequest> {
  const headers = withHeaders(usual, request.headers);
  const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
  if (isWrite && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
  return { method: request.method, url: request.url, headers, body: await request.text() };
}

/** The usual headers, each replaced by the one of the same name, in any case, that a call gives. */
export function withHeaders(usual: Record<string, string>, given: Headers | Record<string, string> = {}): Headers {
  const all = new Headers(usual);
  for (const [name, value] of new Headers(given)) all.set(name, value);
  return all;
}

/** Makes the transport of one caller. */
export function transport(options: TransportOptions, authorize?: Authorization): Transport {
  const exchanges = new WeakMap<Response, Exchange>();

  async function send(sent: SentRequest, signal?: AbortSignal | null): Promise<Response> {
    let [isRenewed, mayHaveActed] = [false, false];
    for (let nth = 1; ; nth += 1) {
      const credential = await unlessAborted(Promise.resolve(authorize?.header()), signal).catch((error) => {
        const key = sent.headers.get('Idempotency-Key') ?? undefined;
        return mayHaveActed ? throwAsUnknown(error, key) : throwAsUnsent(error, key);
      });
      const tried = await attempt(sent, credential, options, signal);
      if (
        !isRenewed &&
        tried.outcome &&
        isOutdated(tried.outcome.response) &&
        authorize?.renew(credential?.[1] ?? '')
      ) {
        isRenewed = true;
        continue;
      }
      const waitMs = waitBefore(nth, tried.outcome, options);
      if (waitMs !== null) {
        mayHaveActed ||= tried.outcome === null || isOpen(tried.outcome.text);
        await pause(waitMs, signal);
      } else if (tried.outcome) {
        exchanges.set(tried.outcome.response, { sent, text: tried.outcome.text, mayHaveActed });
        return tried.outcome.response;
      } else throw withoutResponse(sent, tried.cause);
    }
  }
  return { send, exchangeOf: (response) => exchanges.get(response) };
}

/** Whether the effect is unknown after an error: the error says so, or a gateway sent it. */
const isOpen = (text: string): boolean => membersOf(text)?.effect !== 'none';

/** Whether the token expired or was revoked; the request was not processed (RFC 6750, section 3.1). */
export const isOutdated = ({ status, headers }: Response) =>
  status === 401 && /error="invalid_token"/.test(headers.get('WWW-Authenticate') ?? '');

type Tried = { outcome: Outcome; cause?: unknown };

async function attempt(
  sent: SentRequest,
  credential: [string, string] | undefined,
  { fetch, timeoutMs }: TransportOptions,
  signal?: AbortSignal | null,
): Promise<Tried> {
  const { method, url, headers, body } = sent;
  const all = new Headers(headers);
  if (credential) all.set(...credential);
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const init = { method, headers: all, redirect: 'error', signal: signal ? AbortSignal.any([signal, limit]) : limit };
    const response = await fetch(url, { ...init, ...(body !== '' && { body }) } as RequestInit); // as: `redirect` is widened
    const text = await response.text();
    if (response.ok && text !== '' && !isOtherForm(sent)) JSON.parse(text); // throws: it counts as lost
    const hasBody = response.status !== 204 && response.status !== 304;
    const whole = new Response(hasBody ? text : null, { status: response.status, headers: response.headers });
    return { outcome: { response: whole, text } };
  } catch (cause) {
    signal?.throwIfAborted();
    return { outcome: null, cause };
  }
}

/**
 * Whether a success has another form than JSON: where the request asks for it, and for the one page of the API. Any other success
 * that is not JSON is of a gateway, or a part of one: it is no response.
 */
export const isOtherForm = ({ url, headers }: SentRequest): boolean =>
  url.includes('/v2/reveal/') || !/json|\*/.test(headers.get('Accept') ?? '*');

const withoutResponse = ({ method, headers }: SentRequest, cause: unknown) =>
  new ServiceError(
    {
      code: 'NO_RESPONSE',
      message: 'The service could not be reached, or its response was lost.',
      retryable: true,
      ...(method !== 'GET' && { effect: 'unknown' }),
    },
    { status: 0, idempotencyKey: headers.get('Idempotency-Key') ?? undefined, cause },
  );
