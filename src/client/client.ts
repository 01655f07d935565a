import createClient, { type Client as Calls } from 'openapi-fetch';
import type { paths } from '../contract/types.ts';
import { authorization, type Credentials, type Token } from './credentials.ts';
import { errorOf } from './errors.ts';
import { rowsFrom } from './pages.ts';
import type { StreamEvent } from './server-sent-events.ts';
import { type Reply, type Settled, type SettleOptions, settle } from './settled.ts';
import { resumingEvents, type StreamOptions } from './stream.ts';
import { sentFrom, type Transport, transport } from './transport.ts';

/** Options of a client. Times are in milliseconds. */
export type ClientOptions = {
  /** Address of the service, without a path of the API. */
  baseUrl: string;
  credentials: Credentials;
  /** Headers of every call, such as `X-Session-Token` of a user or `X-Prop-Account`. */
  headers?: Record<string, string>;
  /** The most repeats of one request; 5 by default. */
  retries?: number;
  /** The longest `Retry-After` that is waited for; 30 s by default. */
  longestWaitMs?: number;
  /** The limit of one attempt; 35 s by default, since the service waits for a venue up to 25 s. */
  timeoutMs?: number;
  fetch?: typeof fetch;
};

/** The paths of event streams. */
export type StreamPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'text/event-stream': string } } } };
  }
    ? Path
    : never;
}[keyof paths];

/** A caller of the service. */
export type Client = {
  /** Every operation, typed by the contract: `api.POST('/v1/orders/netvenue', { … })`. */
  api: Calls<paths>;
  /** The data of a reply. Throws a `ServiceError`; a 202 is followed to its end. */
  settled<Data>(reply: Reply<Data> | Promise<Reply<Data>>, options?: SettleOptions): Promise<Settled<Data>>;
  /** The rows of a list from its first page on, over all pages: `rows(api.GET('/v2/tiers'))`. */
  rows<Row>(first: Reply<readonly Row[]> | Promise<Reply<readonly Row[]>>): AsyncGenerator<Row, void>;
  /** The events of a stream; it resumes after a break. */
  events(path: StreamPath, options?: StreamOptions): AsyncGenerator<StreamEvent, void>;
};

/** Makes a client. It opens nothing until it is used. */
export function connect(options: ClientOptions): Client {
  const { credentials, headers = {}, retries = 5, longestWaitMs = 30_000, timeoutMs = 35_000 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const settings = { headers, retries, longestWaitMs, timeoutMs, fetch: options.fetch ?? fetch };
  const anonymous = transport({ ...settings, headers: {} });
  const authorize = authorization(credentials, () => issueToken(anonymous, baseUrl, credentials));
  const calls = transport(settings, authorize);
  const api = createClient<paths>({
    baseUrl,
    fetch: async (request) => calls.send(await sentFrom(request, settings), request.signal),
  });
  return {
    api,
    settled: async (reply, limits) => settle(calls, baseUrl, await reply, limits),
    async *rows(first) {
      yield* rowsFrom(calls, baseUrl, (await first).response);
    },
    events: (path, stream) => resumingEvents({ ...settings, url: baseUrl + path, authorize }, stream),
  };
}

/** Obtains an access token with the credentials of an app (RFC 6749, section 4.4). */
async function issueToken({ send }: Transport, baseUrl: string, credentials: Credentials): Promise<Token> {
  if (!('clientId' in credentials)) throw new Error('Only apps have tokens');
  const { clientId, clientSecret, scope } = credentials;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await send({
    method: 'POST',
    url: `${baseUrl}/v2/oauth/token`,
    headers: new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' }),
    body: new URLSearchParams({ ...form, ...(scope !== undefined && { scope }) }).toString(),
  });
  const text = await response.text();
  if (!response.ok) throw errorOf({ text, response });
  return JSON.parse(text);
}
