import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { reachedAt } from '../kernel/loopback.ts';
import type { Fault, Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

/** One request as a route receives it. `json` is undefined if the body is not JSON. */
export type Call = {
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  text: string;
  json: unknown;
};

/** A route's response: JSON, or HTML with `page`. With `dropped` nothing is sent and the connection is closed. */
export type Reported = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  page?: boolean;
  dropped?: boolean;
};

/**
 * `path` may contain `:names`. `rejection` and `limited` are the responses for the scripted faults `reject` and `status_429`. `reads`: a POST
 * without effect.
 */
export type Route = {
  method: string;
  path: string;
  response: (call: Call) => Reported | Promise<Reported>;
  reads?: boolean;
  rejection?: (call: Call, text?: string) => Reported;
  limited?: Reported;
};

/** Where a server listens: by default on a free port of 127.0.0.1. */
export type Listening = { port?: number; host?: string };

/** Whether a call comes from a browser that shows what it gets. */
export const wantsPage = ({ headers }: Pick<Call, 'headers'>): boolean =>
  headers.accept?.includes('text/html') ?? false;

/** A running server. `url` has no trailing slash. */
export type Upstream = { url: string; close(): Promise<void> };

/** A simulated upstream: `ledger` holds what it did, `faults` what it is to do wrong. */
export type SteeredUpstream = Upstream & { controlUrl: string; ledger: Ledger; faults: Faults };

/** Serves routes. Scripted faults apply to all routes except those below `/control/`. `keep` is as in `responder`; `upgrade` completes other protocols. */
export const startUpstream = async (
  { port = 0, host = '127.0.0.1' }: Listening,
  routes: Route[],
  faults: Faults,
  keep: () => void = () => {},
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Upstream> => {
  const server = createServer(responder(routes, faults, keep));
  if (upgrade) server.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo; // as: it listens on TCP
  return {
    url: `http://${reachedAt(host)}:${address.port}`,
    close: async () => {
      await close(server);
      keep();
    },
  };
};

/**
 * Responds to requests by routes. `keep` is called after every request that may have changed the state, before its
 * response is sent.
 */
export const responder = (routes: Route[], faults: Faults, keep: () => void = () => {}) => {
  const find = router(routes);
  return (request: IncomingMessage, response: ServerResponse): void => {
    // The client disconnected, or a route threw: close this connection and keep the server running.
    upstreamResult(request, response, { find, faults, keep }).catch(() => response.destroy());
  };
};

type Find = (method: string, path: string) => { route: Route; params: Record<string, string> } | null;
type Served = { find: Find; faults: Faults; keep: () => void };

const upstreamResult = async (request: IncomingMessage, response: ServerResponse, { find, faults, keep }: Served) => {
  const { method = 'GET', headers } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://sandbox');
  const text = await readText(request);
  const match = find(method, pathname);
  if (!match) return send(response, { status: 404, body: { error: 'no such route' } });
  const fault = pathname.startsWith('/control/') ? null : faults.next(`${method} ${pathname}`);
  const route = { ...match.route, response: keeping(match.route, keep) };
  await play(fault, response, route, { params: match.params, query, headers, text, json: parse(text) });
};

const keeping =
  ({ method, reads, response }: Route, keep: () => void): Route['response'] =>
  async (call) => {
    const data = await response(call);
    if (method !== 'GET' && !reads) keep();
    return data;
  };

const play = async (fault: Fault | null, response: ServerResponse, route: Route, call: Call) => {
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'reset':
      return response.destroy();
    case 'status_500':
      return send(response, { status: 500, body: { error: 'scripted fault' } });
    case 'status_429':
      return send(response, route.limited ?? LIMITED);
    case 'reject':
      return send(
        response,
        route.rejection?.(call, fault.text) ?? { status: 400, body: { error: 'scripted rejection' } },
      );
    case 'html_200':
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please wait.</body></html>');
    case 'idle_200':
      return send(response, { status: 200, body: { success: true, order_uuid: Object(call.json).order_uuid } });
  }
  const data = await route.response(call);
  if (fault?.kind === 'late') await wait(fault.delayMs ?? 1_000);
  if (fault?.kind === 'accept_then_drop' || data.dropped) return response.destroy();
  return send(response, data, fault?.kind === 'cut_json' ? 0.5 : 1);
};

/** In the form of the processor, whose client reads the status from such a body only. */
const LIMITED: Reported = {
  status: 429,
  body: { error: { type: 'rate_limit_error', message: 'scripted fault' } },
  headers: { 'retry-after': '1' },
};

const send = (response: ServerResponse, { status, body, headers, page }: Reported, share = 1) => {
  const text = page ? String(body) : JSON.stringify(body);
  const all = { 'content-type': 'application/json', ...(page && PAGE_HEADERS), ...headers };
  response.writeHead(status, all).end(text.slice(0, Math.ceil(text.length * share)));
};

/** A page runs no scripts, loads nothing, and sends its address to no other host: it may contain a secret. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
};

/** Finds the first route whose method and path segments match. */
const router = (routes: Route[]): Find => {
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') }));
  return (method, path) => {
    const requested = path.split('/').map(decodeURIComponent);
    const match = compiled.find(({ route, segments }) => route.method === method && fits(segments, requested));
    return match ? { route: match.route, params: paramsOf(match.segments, requested) } : null;
  };
};

const fits = (segments: string[], requested: string[]) =>
  segments.length === requested.length &&
  segments.every((segment, at) => segment.startsWith(':') || segment === requested[at]);

const paramsOf = (segments: string[], requested: string[]): Record<string, string> =>
  Object.fromEntries(
    segments.flatMap((name, at) => (name.startsWith(':') ? [[name.slice(1), requested[at] ?? '']] : [])),
  );

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
