import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The body of a request to the exchange. */
export type ExchangeBody = {
  type?: string;
  user?: string;
  dex?: string;
  oid?: number | string;
  action?: { type: string; orders?: unknown[]; cancels?: unknown[] };
};

type Reply = { status: number; text: string };

/** Responds to a request instead of the exchange, or with what `forward` got from it. Null closes the connection. */
export type Handle = (body: ExchangeBody, forward: () => Promise<Reply | null>) => Promise<Reply | null>;

/** A proxy in front of the exchange. `target` may be set after the start; `handle` may be replaced at any time. */
export type VenueProxy = { url: string; target: string; handle: Handle; close(): Promise<void> };

/** A JSON response. */
export const jsonReply = (value: unknown, status = 200): Reply => ({ status, text: JSON.stringify(value) });

/** What the venue says to reads of an account that has done nothing, by their type; and to reads that are behind all that it has done. */
export const NOTHING_DONE: Readonly<Record<string, unknown>> = {
  orderStatus: { status: 'unknownOid' },
  frontendOpenOrders: [],
  userFillsByTime: [],
};

const HEADERS = { 'content-type': 'application/json' };

/** Starts a proxy on a free port. By default it passes everything on. */
export async function startProxy(handle: Handle = (_, forward) => forward()): Promise<VenueProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // as: no encoding is set
    const body = Buffer.concat(chunks);
    const forward = async () => {
      const init = { method: 'POST', body, headers: HEADERS };
      const reply = await fetch(`${proxy.target}${request.url}`, init).catch(() => null);
      return reply && { status: reply.status, text: await reply.text() };
    };
    const reply = await proxy.handle(JSON.parse(body.toString()), forward);
    if (reply) response.writeHead(reply.status, HEADERS).end(reply.text);
    else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  const proxy: VenueProxy = {
    url: `http://127.0.0.1:${port}`,
    target: '',
    handle,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
