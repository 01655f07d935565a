import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** One signal on its way at the venue: from the arrival of its first byte to the last byte of the answer. Milliseconds. */
export type Passage = { uuid: string; lane: string; startedAt: number; endedAt: number };

/** Stands before the miner and notes which signals are at the venue, and when. */
export type Watched = { minerUrl: string; passages: Passage[]; close(): Promise<void> };

/** Watches what passes to a miner's base address. */
export async function watchMiner(minerUrl: string): Promise<Watched> {
  const passages: Passage[] = [];
  const server = createServer((asked, answered) => {
    const startedAt = performance.now();
    void pass(minerUrl, asked, answered).then((signal) => {
      if (!signal) return;
      const note = () => {
        const lane = `${signal.subaccount_id}:${signal.trade_pair}`;
        passages.push({ uuid: signal.order_uuid, lane, startedAt, endedAt: performance.now() });
      };
      if (answered.closed) note();
      else answered.once('close', note);
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

async function pass(minerUrl: string, asked: IncomingMessage, answered: ServerResponse): Promise<Signal | null> {
  const { method, headers, url } = asked;
  const signal = method === 'POST' ? ((await json(asked)) as Signal) : null; // the service's own adapter wrote it
  const onwards = forward(minerUrl + url, { method, headers }, (reply) => {
    answered.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answered);
  });
  onwards.on('error', () => answered.destroy());
  onwards.end(signal ? JSON.stringify(signal) : undefined);
  return signal;
}
