import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, Faults } from './faults.ts';

/** One request as a route sees it. `json` is undefined where the body holds none. */
export type Call = {
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  text: string;
  json: unknown;
};

/** A route's answer: JSON, or the text of a page. With `dropped` it is never sent: the connection closes instead. */
export type Said = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  page?: boolean;
  dropped?: boolean;
};

/** `path` may hold `:names`. `refusal` is what the scripted fault `refuse` answers. `reads`: a POST that changes nothing. */
export type Route = {
  method: string;
  path: string;
  answer: (call: Call) => Said | Promise<Said>;
  reads?: boolean;
  refusal?: (call: Call) => Said;
};

export type Party = { url: string; close(): Promise<void> };

/**
 * Serves routes on 127.0.0.1 (port 0: a free one) with the scripted faults, which strike nothing below `/control/`. `keep` is called
 * after whatever may have changed something, before it is answered.
 */
export const startParty = async (
  port: number,
  routes: Route[],
  faults: Faults,
  keep: () => void = () => {},
): Promise<Party> => {
  const find = router(routes);
  const server = createServer((request, response) => {
    // A caller that left while sending, or a bug in a route: nobody is owed an answer, and the party lives on.
    answer(request, response, { find, faults, keep }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo; // as: it listens on TCP
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      await close(server);
      keep();
    },
  };
};

type Find = (method: string, path: string) => { route: Route; params: Record<string, string> } | null;
type Served = { find: Find; faults: Faults; keep: () => void };

const answer = async (request: IncomingMessage, response: ServerResponse, { find, faults, keep }: Served) => {
  const { method = 'GET', headers } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://sandbox');
  const text = await readText(request);
  const match = find(method, pathname);
  if (!match) return send(response, { status: 404, body: { error: 'no such route' } });
  const fault = pathname.startsWith('/control/') ? null : faults.next(`${method} ${pathname}`);
  const route = { ...match.route, answer: keeping(match.route, keep) };
  await play(fault, response, route, { params: match.params, query, headers, text, json: parse(text) });
};

const keeping =
  ({ method, reads, answer }: Route, keep: () => void): Route['answer'] =>
  async (call) => {
    const said = await answer(call);
    if (method !== 'GET' && !reads) keep();
    return said;
  };

const play = async (fault: Fault | null, response: ServerResponse, route: Route, call: Call) => {
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'reset':
      return response.destroy();
    case 'status_500':
      return send(response, { status: 500, body: { error: 'scripted fault' } });
    case 'refuse':
      return send(response, route.refusal?.(call) ?? { status: 400, body: { error: 'scripted refusal' } });
    case 'html_200':
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please wait.</body></html>');
  }
  const said = await route.answer(call);
  if (fault?.kind === 'late') await wait(fault.delayMs ?? 1_000);
  if (fault?.kind === 'accept_then_drop' || said.dropped) return response.destroy();
  return send(response, said, fault?.kind === 'cut_json' ? 0.5 : 1);
};

const send = (response: ServerResponse, { status, body, headers, page }: Said, share = 1) => {
  const text = page ? String(body) : JSON.stringify(body);
  const type = page ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { ...headers, 'content-type': type }).end(text.slice(0, Math.ceil(text.length * share)));
};

/** Routes by their first match, segment by segment. */
const router = (routes: Route[]): Find => {
  const known = routes.map((route) => ({ route, segments: route.path.split('/') }));
  return (method, path) => {
    const asked = path.split('/').map(decodeURIComponent);
    const match = known.find(({ route, segments }) => route.method === method && fits(segments, asked));
    return match ? { route: match.route, params: paramsOf(match.segments, asked) } : null;
  };
};

const fits = (segments: string[], asked: string[]) =>
  segments.length === asked.length && segments.every((segment, at) => segment.startsWith(':') || segment === asked[at]);

const paramsOf = (segments: string[], asked: string[]): Record<string, string> =>
  Object.fromEntries(segments.flatMap((name, at) => (name.startsWith(':') ? [[name.slice(1), asked[at] ?? '']] : [])));

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
