import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { type AtOnce, NO_TURN } from '../kernel/at-once.ts';
import { epochMs, noteWork, presentWork } from '../kernel/work.ts';

/**
 * One request to an upstream. The request must not leave after `notAfter` (epoch ms of this process). `onSent` is called once all of it was
 * given to the operating system, `onResponse` once all of the response is here. `isQueued`: it opens a connection of its own, so it is served
 * only after every connection that was opened before has been accepted.
 */
type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  notAfter?: number | undefined;
  onSent?: (() => void) | undefined;
  onResponse?: (() => void) | undefined;
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

/** A client whose requests take turns (see `AtOnce`), exits first. A request without a turn is `unsent`. */
export const inTurns =
  (send: HttpClient, turns: AtOnce): HttpClient =>
  async (request) =>
    (await turns.run(
      () => send(request),
      ({ kind }) => kind === 'response',
      presentWork().isExit,
    )) ?? { kind: 'unsent', why: NO_TURN };

/** An upstream that does not complete TCP or TLS within this time is down. Waiting longer only blocks the lane. */
const CONNECT_MS = 5_000;
/** Far longer than it takes to connect. A timer that is set for longer may fire at once. */
const LONGEST_TIMER_MS = 60_000;
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
export const httpClient = (): HttpClient => {
  const [kept, single] = [true, false].map((keepAlive) => ({
    http: new http.Agent({ keepAlive, timeout: IDLE_MS }),
    https: new https.Agent({ keepAlive, timeout: IDLE_MS }),
  })) as [Agents, Agents]; // as: one for each
  return async (request) => {
    const journey: Journey = { reached: 'nothing' };
    noteWork({ isAsked: true });
    try {
      const { status, headers, text } = await exchange(request, request.isQueued ? single : kept, journey);
      request.onResponse?.();
      noteWork({ status });
      return { kind: 'response', status, headers, text };
    } catch (error) {
      const why = codeOf(error);
      return { kind: neverLeft(journey, why) ? 'unsent' : 'lost', why };
    }
  };
};

/** Parses JSON. Returns `undefined` for a text that is not JSON (truncated, HTML, empty). Characters that no record can hold are replaced. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(ODD.test(text) ? text.replace(ESCAPE, (written, odd) => (odd ? '\\ufffd' : written)) : text);
  } catch {
    return undefined;
  }
};

/** The database stores neither U+0000 nor half of a surrogate pair. The body of a response has them only as escapes. */
const ODD = /\\u(0000|[dD][89a-fA-F])/;
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./g;

type Agents = { http: http.Agent; https: https.Agent };

type Journey = { reached: 'nothing' | 'socket' | 'connection' };

/** Faults of DNS, TCP and TLS, and `TOO_LATE` of this client. Any other fault may occur after bytes have left. */
const CONNECTING_FAILED =
  /^(TOO_LATE|ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT \((lookup|connect|secureConnect)\)|EPROTO|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|\w*SELF_SIGNED_CERT)/;

const neverLeft = ({ reached }: Journey, why: string) =>
  reached === 'nothing' || (reached === 'socket' && CONNECTING_FAILED.test(why));

type Read = Omit<Extract<Reply, { kind: 'response' }>, 'kind'>;

/** Rejects with an error that has a code. Whatever the connection does after the first fault is ignored. */
const exchange = (request: HttpRequest, agents: Agents, journey: Journey): Promise<Read> =>
  new Promise((resolve, reject) => {
    const outgoing = open(request, agents);
    const fail = (error: Error) => {
      clearTimeout(total);
      reject(error);
      outgoing.destroy(error);
    };
    const total = setTimeout(() => fail(timedOut('request')), request.timeoutMs);
    outgoing.on('error', fail);
    outgoing.once('socket', (socket) => watch(socket, { request, journey, fail }));
    outgoing.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      textOf(decoded(response)).then((text) => {
        clearTimeout(total);
        resolve({ status, headers, text });
      }, fail);
    });
    if (request.onSent) outgoing.once('finish', request.onSent);
    outgoing.end(request.body);
  });

/** Throws for a malformed address. The body is sent in one piece, with its length. */
function open({ method, url, headers, body, signal }: HttpRequest, agents: Agents): ClientRequest {
  const address = new URL(url);
  const isSecure = address.protocol === 'https:';
  return (isSecure ? https : http).request(address, {
    method,
    headers: {
      'accept-encoding': Object.keys(DECODERS).join(', '),
      'user-agent': USER_AGENT,
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    agent: isSecure ? agents.https : agents.http,
    ...(signal && { signal }),
  });
}

const USER_AGENT = 'Trading-Partner-Service/0.1';

type Watched = { request: HttpRequest; journey: Journey; fail(error: Error): void };

/**
 * Node writes a request once its socket is connected (TLS: secured). Before that nothing has left; after that any part
 * may have left. A reused socket is connected from the start.
 */
function watch(socket: Socket, { request: { url, notAfter }, journey, fail }: Watched): void {
  journey.reached = 'socket';
  const handOver = () => {
    // Checked only here: the process may have been suspended for minutes while it was connecting.
    if (epochMs() > (notAfter ?? Number.POSITIVE_INFINITY)) fail(coded('TOO_LATE'));
    else journey.reached = 'connection';
  };
  if (!socket.connecting) {
    handOver();
    return;
  }
  const { protocol, hostname } = new URL(url);
  const isSecure = protocol === 'https:';
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  limitConnecting(socket, [...(isAddress ? [] : ['lookup']), 'connect', ...(isSecure ? ['secureConnect'] : [])], fail);
  const stop = limitLeaving(notAfter, fail);
  socket.once('close', stop);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    stop();
    handOver();
  });
}

/** Gives up a request that is still connecting after `notAfter`; nothing of it has left. Returns a function that ends this limit. */
function limitLeaving(notAfter: number | undefined, fail: Watched['fail']): () => void {
  const leftMs = (notAfter ?? Number.POSITIVE_INFINITY) - epochMs();
  if (leftMs > LONGEST_TIMER_MS) return () => {};
  const timer = setTimeout(() => fail(coded('TOO_LATE')), Math.max(0, leftMs));
  return () => clearTimeout(timer);
}

/** Each step towards a connection has its own limit. */
function limitConnecting(socket: Socket, steps: string[], fail: (error: Error) => void): void {
  let step = 0;
  const late = () => fail(timedOut(steps[step] ?? ''));
  let timer = setTimeout(late, CONNECT_MS);
  const stop = () => clearTimeout(timer);
  steps.forEach((name, n) => {
    socket.once(name, () => {
      stop();
      step = n + 1;
      if (step < steps.length) timer = setTimeout(late, CONNECT_MS);
    });
  });
  socket.once('close', stop);
}

const DECODERS = {
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
};

/** The body of a response, decompressed. */
function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? '';
  const isEmpty = response.statusCode === 204 || response.headers['content-length'] === '0';
  if (isEmpty || !Object.hasOwn(DECODERS, encoding)) return response;
  const decoder = DECODERS[encoding as keyof typeof DECODERS](); // as: it has it
  return pipeline(response, decoder, () => {}); // a fault of the response becomes one of the decoder
}

const textOf = (stream: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_REPLY_BYTES) reject(coded('TOO_LONG'));
      else chunks.push(chunk);
    });
    stream.on('error', reject);
    stream.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    stream.once('close', () => {
      if (!stream.readableEnded) reject(coded('ECONNRESET'));
    });
  });

const coded = (code: string) => Object.assign(new Error(code), { code });

const timedOut = (event: string) => Object.assign(coded('ETIMEDOUT'), { event });

/** The code of an error. Error messages may contain addresses; codes do not. */
const codeOf = (error: unknown): string => {
  const { code, event } = Object(error) as { code?: unknown; event?: unknown }; // as: any value may be thrown
  const name = typeof code === 'string' ? code : 'UNKNOWN';
  return typeof event === 'string' ? `${name} (${event})` : name;
};
