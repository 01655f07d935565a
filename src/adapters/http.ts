import http from 'node:http';
import https from 'node:https';
import got, { type RequestFunction } from 'got';

/** One request to a party. `notAfter` (epoch ms of this process) is the last moment at which it may leave. */
type Ask = {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  notAfter?: number | undefined;
};

/**
 * How far a request came. `unsent`: provably no byte of it left, sending again is safe. `lost`: it may have
 * arrived, in part or whole. `why` is a code of ours or the platform's, never an address, header or body.
 */
export type Reply =
  | { kind: 'response'; status: number; headers: http.IncomingHttpHeaders; text: string }
  | { kind: 'unsent'; why: string }
  | { kind: 'lost'; why: string };

export type HttpClient = (ask: Ask) => Promise<Reply>;

/** A party that answers nothing within this on TCP or TLS is not there; waiting longer only blocks the lane. */
const CONNECT_MS = 5_000;
/** Idle sockets go before the shortest usual server limit (Node: 5 s) does: a write on a socket just closed is `lost`. */
const IDLE_MS = 4_000;
/** The largest answer known, an entity of 10,000 subaccounts at some 500 bytes, is 5 MB; what never ends is no answer. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** A client with its own keep-alive sockets. Never retries, never follows a redirect, never throws for a fault of the network. */
export const httpClient = ({ maxReplyBytes = MAX_REPLY_BYTES } = {}): HttpClient => {
  const agent = {
    http: new http.Agent({ keepAlive: true, timeout: IDLE_MS }),
    https: new https.Agent({ keepAlive: true, timeout: IDLE_MS }),
  };
  return async (ask) => {
    const journey: Journey = { reached: 'nothing' };
    try {
      const stream = got.stream(ask.url, { ...options(ask), agent, request: watched(journey, ask.notAfter) });
      const text = await readUpTo(maxReplyBytes, stream);
      const { statusCode: status = 0, headers = {} } = stream.response ?? {};
      return { kind: 'response', status, headers, text };
    } catch (error) {
      const why = codeOf(error);
      return { kind: neverLeft(journey, why) ? 'unsent' : 'lost', why };
    }
  };
};

/** The value a text holds as JSON, `undefined` where it holds none (cut off, HTML, empty). */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Journey = { reached: 'nothing' | 'socket' | 'connection' };

/** Faults of looking up, connecting and shaking hands, and our own refusal to send late. Any other may strike later. */
const CONNECTING_FAILED =
  /^(TOO_LATE|ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT \((lookup|connect|secureConnect)\)|EPROTO|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|\w*SELF_SIGNED_CERT)/;

const neverLeft = ({ reached }: Journey, why: string) =>
  reached === 'nothing' || (reached === 'socket' && CONNECTING_FAILED.test(why));

const options = ({ method, headers, body, timeoutMs, signal }: Ask) => ({
  method,
  ...(headers && { headers }),
  ...(body !== undefined && { body }),
  ...(signal && { signal }),
  timeout: { lookup: CONNECT_MS, connect: CONNECT_MS, secureConnect: CONNECT_MS, request: timeoutMs },
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  decompress: true,
});

/**
 * Node writes a request once its socket is connected (TLS: secured): until then nothing has left, from then on
 * anything may have. A reused socket is connected from the start.
 */
const watched =
  (journey: Journey, notAfter = Number.POSITIVE_INFINITY): RequestFunction =>
  (url, requestOptions, callback) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? https : http).request(url, requestOptions, callback);
    request.once('socket', (socket) => {
      journey.reached = 'socket';
      const handOver = () => {
        // Looked at here and not earlier: the process may have been stopped for minutes while connecting.
        if (Date.now() > notAfter) request.destroy(coded('TOO_LATE'));
        else journey.reached = 'connection';
      };
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', handOver);
      else handOver();
    });
    return request;
  };

const readUpTo = async (maxBytes: number, stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw coded('TOO_LONG');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const coded = (code: string) => Object.assign(new Error(code), { code });

/** Messages of errors carry addresses and more; their codes do not. */
const codeOf = (error: unknown): string => {
  const { code, event } = Object(error) as { code?: unknown; event?: unknown }; // as: any value may be thrown
  const word = typeof code === 'string' ? code : 'UNKNOWN';
  return typeof event === 'string' ? `${word} (${event})` : word;
};
