import http from 'node:http';
import https from 'node:https';
import got, { type RequestFunction } from 'got';
import { epochMs, noteWork } from '../kernel/work.ts';

/**
 * One request to an upstream. The request must not leave after `notAfter` (epoch ms of this process). `isQueued`: it opens a
 * connection of its own, so it is served only after every connection that was opened before has been accepted.
 */
type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  notAfter?: number | undefined;
  isQueued?: boolean | undefined;
};

/**
 * Result of one request. `unsent`: provably no byte left, so sending again is safe. `lost`: the request may have
 * arrived, in part or in whole. `why` is a code of this service or of Node; it never contains an address, header or
 * body.
 */
export type Reply =
  | { kind: 'response'; status: number; headers: http.IncomingHttpHeaders; text: string }
  | { kind: 'unsent'; why: string }
  | { kind: 'lost'; why: string };

/** Sends one request. Resolves for every network fault; see `Reply`. */
export type HttpClient = (request: HttpRequest) => Promise<Reply>;

/** An upstream that does not complete TCP or TLS within this time is down. Waiting longer only blocks the lane. */
const CONNECT_MS = 5_000;
/** Below the shortest usual idle limit of servers (Node: 5 s). A write on a socket the server just closed is `lost`. */
const IDLE_MS = 4_000;
/**
 * The largest known response is 5 MB: an entity of 10,000 subaccounts at about 500 bytes each. The cap stops endless
 * bodies.
 */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * A client with separate keep-alive sockets. It never retries, follows no redirect and never throws for a network
 * fault.
 */
export const httpClient = ({ maxReplyBytes = MAX_REPLY_BYTES } = {}): HttpClient => {
  const [kept, single] = [true, false].map((keepAlive) => ({
    http: new http.Agent({ keepAlive, timeout: IDLE_MS }),
    https: new https.Agent({ keepAlive, timeout: IDLE_MS }),
  })) as [Agents, Agents]; // as: one for each
  return async (request) => {
    const journey: Journey = { reached: 'nothing' };
    try {
      const stream = got.stream(request.url, {
        ...options(request),
        agent: request.isQueued ? single : kept,
        request: watched(journey, request.notAfter),
      });
      const text = await readUpTo(maxReplyBytes, stream);
      const { statusCode: status = 0, headers = {} } = stream.response ?? {};
      noteWork({ status });
      return { kind: 'response', status, headers, text };
    } catch (error) {
      const why = codeOf(error);
      return { kind: neverLeft(journey, why) ? 'unsent' : 'lost', why };
    }
  };
};

/** Parses JSON. Returns `undefined` for a text that is not JSON (truncated, HTML, empty). */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Agents = { http: http.Agent; https: https.Agent };

type Journey = { reached: 'nothing' | 'socket' | 'connection' };

/** Faults of DNS, TCP and TLS, and `TOO_LATE` of this client. Any other fault may occur after bytes have left. */
const CONNECTING_FAILED =
  /^(TOO_LATE|ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT \((lookup|connect|secureConnect)\)|EPROTO|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|\w*SELF_SIGNED_CERT)/;

const neverLeft = ({ reached }: Journey, why: string) =>
  reached === 'nothing' || (reached === 'socket' && CONNECTING_FAILED.test(why));

const options = ({ method, headers, body, timeoutMs, signal }: HttpRequest) => ({
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
 * Node writes a request once its socket is connected (TLS: secured). Before that nothing has left; after that any part
 * may have left. A reused socket is connected from the start.
 */
const watched =
  (journey: Journey, notAfter = Number.POSITIVE_INFINITY): RequestFunction =>
  (url, requestOptions, callback) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? https : http).request(url, requestOptions, callback);
    request.once('socket', (socket) => {
      journey.reached = 'socket';
      const handOver = () => {
        // Checked only here: the process may have been suspended for minutes while it was connecting.
        if (epochMs() > notAfter) request.destroy(coded('TOO_LATE'));
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

/** The code of an error. Error messages may contain addresses; codes do not. */
const codeOf = (error: unknown): string => {
  const { code, event } = Object(error) as { code?: unknown; event?: unknown }; // as: any value may be thrown
  const name = typeof code === 'string' ? code : 'UNKNOWN';
  return typeof event === 'string' ? `${name} (${event})` : name;
};
