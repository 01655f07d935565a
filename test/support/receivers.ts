import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One complete request to a receiver. */
export type Received = { at: number; path: string; headers: IncomingHttpHeaders; body: string };

/** The response of a receiver; by default 200. `hang` never responds, `drop` cuts the connection after reading. */
export type Behaviour = (received: Received, nth: number) => number | 'hang' | 'drop' | Raw;
type Raw = { status: number; headers?: Record<string, string>; text?: string; delayMs?: number };

/** A partner's server on this machine, with an append-only ledger of received requests. */
export type Receiver = {
  url: string;
  ledger: Received[];
  /** The number of requests in progress, now and at its maximum. */
  inFlight: { now: number; most: number };
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
};

/** Starts a receiver on a free port. */
export async function startReceiver(behaviour: Behaviour = () => 200): Promise<Receiver> {
  const ledger: Received[] = [];
  const inFlight = { now: 0, most: 0 };
  let behave = behaviour;
  const server = http.createServer(async (request, response) => {
    inFlight.most = Math.max(inFlight.most, ++inFlight.now);
    response.once('close', () => inFlight.now--);
    const body = await textOf(request);
    const received = {
      at: performance.timeOrigin + performance.now(),
      path: request.url ?? '',
      headers: request.headers,
      body,
    };
    ledger.push(received);
    upstreamResult(response, behave(received, ledger.length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on TCP
    ledger,
    inFlight,
    behave: (next) => {
      behave = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function upstreamResult(response: ServerResponse, data: ReturnType<Behaviour>): void {
  if (data === 'hang') return;
  if (data === 'drop') {
    response.destroy();
    return;
  }
  const { status, headers = {}, text = 'ok', delayMs = 0 } = typeof data === 'number' ? { status: data } : data;
  setTimeout(() => response.writeHead(status, headers).end(text), delayMs);
}
