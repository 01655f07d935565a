import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/**
 * One signal in transit at the venue: from the arrival of its first byte to the last byte of the response.
 * Milliseconds.
 */
export type Passage = { uuid: string; lane: string; startedAt: number; endedAt: number };

/** A proxy before the miner that records which signals are at the venue, and when. */
export type Watched = { minerUrl: string; passages: Passage[]; close(): Promise<void> };

/** Records the requests to a miner's base address. */
export async function watchMiner(minerUrl: string): Promise<Watched> {
  const passages: Passage[] = [];
  const server = createServer((incoming, response) => {
    const startedAt = performance.now();
    void pass(minerUrl, incoming, response).then((signal) => {
      if (!signal) return;
      const note = () => {
        const lane = `${signal.subaccount_id}:${signal.trade_pair}`;
        passages.push({ uuid: signal.order_uuid, lane, startedAt, endedAt: performance.now() });
      };
      if (response.closed) note();
      else response.once('close', note);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    minerUrl: `http://127.0.0.1:${port}`,
    passages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Signal = { order_uuid: string; subaccount_id: number; trade_pair: string };

async function pass(minerUrl: string, incoming: IncomingMessage, response: ServerResponse): Promise<Signal | null> {
  const { method, headers, url } = incoming;
  const signal = method === 'POST' ? ((await json(incoming)) as Signal) : null; // the service's own adapter wrote it
  const onwards = forward(minerUrl + url, { method, headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  onwards.on('error', () => response.destroy());
  onwards.end(signal ? JSON.stringify(signal) : undefined);
  return signal;
}
