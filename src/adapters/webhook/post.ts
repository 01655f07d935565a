import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { SendFault, Target } from './types.ts';

const MAX_READ_BYTES = 64 * 1024; // a longer body is truncated and its connection closed
const TEXT_BYTES = 2 * 1024;
const BODY_MS = 2_000; // only the status decides; the text is for display
const CONNECT_MS = 3_000; // per address, so that the next address can still be tried
const HEADERS_MAX = 16 * 1024;
const IDLE_MS = 4_000; // below the shortest usual idle limit of servers

/**
 * Result of one request. `isSent`: bytes may have reached the receiver. `isStale`: the fault may come from a keep-alive
 * connection that the receiver had closed.
 */
export type Posted =
  | { kind: 'response'; status: number; text: string; retryAfter: string | undefined }
  | { kind: 'fault'; fault: SendFault; isSent: boolean; isStale: boolean };

/** One request: headers and body as sent, and the milliseconds it may last. */
export type Post = { target: Target; address: string; headers: Record<string, string>; body: Buffer; withinMs: number };

/**
 * Posts to a checked IP address. The host name is used only for the Host header and the certificate check. Reads at
 * most 64 KiB, never decompresses, follows no redirect, and ends after `withinMs` at the latest.
 */
export function poster() {
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };
  return {
    post: (requested: Post, afresh = false): Promise<Posted> =>
      exchange(
        requested,
        request(requested, afresh ? false : agents[requested.target.url.protocol as keyof typeof agents]),
      ), // as: the guard allows only these two protocols
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

/** Runs one request to its end. Settles once. The listeners stay attached, so later events are ignored safely. */
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
        end({ kind: 'response', status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
      );
    });
    request.end(body);
  });
}

/**
 * The first 2 KiB of a response body. If the body is too long or too slow, the connection is closed; the status stays
 * valid.
 */
function textOf(response: IncomingMessage, withinMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => {
      clearTimeout(patience);
      resolve(readable(Buffer.concat(chunks).subarray(0, TEXT_BYTES)));
    };
    const cut = () => {
      response.destroy();
      end();
    };
    const patience = setTimeout(cut, withinMs);
    response.on('data', (chunk: Buffer) => {
      if (size < TEXT_BYTES) chunks.push(chunk.subarray(0, TEXT_BYTES - size));
      size += chunk.length;
      if (size > MAX_READ_BYTES) cut();
    });
    response.on('error', end).once('end', end).once('close', end);
  });
}

/** Postgres cannot store a zero character in text. */
const readable = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '\ufffd');

const TLS = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_|\w*SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

function faultOf(code: string, isConnected: boolean): SendFault {
  if (TLS.test(code)) return 'tls';
  if (code === 'TIMEOUT') return isConnected ? 'timeout' : 'connect';
  if (code.startsWith('HPE_')) return 'malformed';
  return isConnected ? 'reset' : 'connect';
}
