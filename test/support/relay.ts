import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One HTTP response; `lost`: the connection is closed without one. */
export type Reply = { status: number; headers: Record<string, string>; body: Buffer | string } | 'lost';

/** One request: `METHOD /path`, its query, its body, and a function that has the upstream behind execute it. */
export type Passing = {
  name: string;
  query: string;
  text: string;
  headers: IncomingHttpHeaders;
  forward(): Promise<Reply>;
};

/** A server between an adapter and its upstream, `target`. `handle` decides the reply to each request; by default the upstream does. */
export type Relay = {
  url: string;
  target: string;
  handle: (passing: Passing) => Promise<Reply>;
  close(): Promise<void>;
};

/** Starts a relay on a free port; its target may be named later. It closes each connection after its response. */
export async function relayTo(target = ''): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url = '/', headers } = request;
    const text = Buffer.concat(chunks).toString();
    const forward = () => fetched(relay.target + url, method, headers, text);
    const [path, query = ''] = url.split('?');
    respond(response, await relay.handle({ name: `${method} ${path}`, query, text, headers, forward }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // as: it listens on TCP
    target,
    handle: ({ forward }) => forward(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return relay;
}

const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'keep-alive']);

async function fetched(url: string, method: string, headers: IncomingHttpHeaders, text: string): Promise<Reply> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    HOP.has(name) ? [] : [[name, String(value)]],
  );
  try {
    const reply = await fetch(url, { method, headers: kept, ...(text && { body: text }), redirect: 'manual' });
    const body = Buffer.from(await reply.arrayBuffer());
    const given = [...reply.headers].filter(([name]) => !HOP.has(name));
    return { status: reply.status, headers: Object.fromEntries(given), body };
  } catch {
    return 'lost';
  }
}

function respond(response: ServerResponse, reply: Reply): void {
  if (reply === 'lost') response.destroy();
  else response.writeHead(reply.status, { ...reply.headers, connection: 'close' }).end(reply.body);
}
