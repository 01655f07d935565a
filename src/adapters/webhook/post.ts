import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { SendFault, Target } from './types.ts';

const MOST_READ = 64 * 1024; // what is longer is cut off with its connection
const KEPT = 2 * 1024;
const BODY_MS = 2_000; // an answer is its status; nobody waits long for its text
const CONNECT_MS = 3_000; // per address, so that the next one still has its turn
const HEADERS_MAX = 16 * 1024;
const IDLE_MS = 4_000; // below the shortest usual limit of servers

/** How one request ended. `isSent`: bytes may have reached the receiver. */
export type Posted =
  | { kind: 'answered'; status: number; text: string; retryAfter: string | undefined }
  | { kind: 'fault'; fault: SendFault; isSent: boolean; isStale: boolean };

export type Post = { target: Target; address: string; headers: Record<string, string>; body: Buffer; withinMs: number };

/**
 * Posts to a checked address, literally: the name only goes into the Host header and the certificate's check. Reads at most
 * 64 KiB, never decompresses, follows nothing, and is over after `withinMs`, whatever the other side does.
 */
export function poster() {
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };
  return {
    post: (asked: Post, afresh = false): Promise<Posted> =>
      exchange(asked, request(asked, afresh ? false : agents[asked.target.url.protocol as keyof typeof agents])), // the guard knows these two
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function request({ target: { url }, address, headers }: Post, agent: http.Agent | false): ClientRequest {
  const isName = isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) === 0;
  const send = url.protocol === 'https:' ? https.request : http.request;
  return send({
    method: 'POST',
    host: address,
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: url.pathname + url.search,
    headers: { Host: url.host, ...headers },
    setHost: false,
    agent,
    maxHeaderSize: HEADERS_MAX,
    ...(isName && { servername: url.hostname.replace(/\.$/, '') }),
  });
}

/** Follows one request to its end. Settles once; what comes after that finds a listener and is dropped. */
function exchange({ body, withinMs }: Post, request: ClientRequest): Promise<Posted> {
  return new Promise((resolve) => {
    const endsAt = performance.now() + withinMs;
    let isConnected = false;
    const end = (posted: Posted) => {
      clearTimeout(total);
      clearTimeout(connecting);
      resolve(posted);
    };
    const fail = (code: string) => {
      const isStale = request.reusedSocket && code !== 'TIMEOUT';
      end({ kind: 'fault', fault: faultOf(code, isConnected), isSent: isConnected, isStale });
      request.destroy();
    };
    const total = setTimeout(fail, withinMs, 'TIMEOUT');
    const connecting = setTimeout(() => isConnected || fail('TIMEOUT'), Math.min(CONNECT_MS, withinMs));
    request.once('socket', (socket) => {
      if (request.reusedSocket) isConnected = true;
      else
        socket
          .once('secureConnect', () => (isConnected = true))
          .once('connect', () => (isConnected ||= !('encrypted' in socket)));
    });
    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'UNKNOWN'));
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      fail('HPE_UPGRADE');
    });
    request.once('response', (response) => {
      clearTimeout(total);
      const leftMs = endsAt - performance.now();
      void textOf(response, Math.min(BODY_MS, leftMs)).then((text) =>
        end({ kind: 'answered', status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
      );
    });
    request.end(body);
  });
}

/** The beginning of an answer's text. An answer that is too long or too slow loses its connection and keeps its status. */
function textOf(response: IncomingMessage, withinMs: number): Promise<string> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let size = 0;
    const end = () => {
      clearTimeout(patience);
      resolve(readable(Buffer.concat(kept).subarray(0, KEPT)));
    };
    const cut = () => {
      response.destroy();
      end();
    };
    const patience = setTimeout(cut, withinMs);
    response.on('data', (chunk: Buffer) => {
      if (size < KEPT) kept.push(chunk.subarray(0, KEPT - size));
      size += chunk.length;
      if (size > MOST_READ) cut();
    });
    response.on('error', end).once('end', end).once('close', end);
  });
}

/** Text the database takes: it stores no zero character. */
const readable = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '\ufffd');

const TLS = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_|\w*SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

function faultOf(code: string, isConnected: boolean): SendFault {
  if (TLS.test(code)) return 'tls';
  if (code === 'TIMEOUT') return isConnected ? 'timeout' : 'connect';
  if (code.startsWith('HPE_')) return 'malformed';
  return isConnected ? 'reset' : 'connect';
}
