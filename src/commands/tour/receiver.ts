import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A delivery as received; the body byte for byte. */
export type Delivery = { headers: IncomingMessage['headers']; body: string };

/** A partner's webhook server, on this machine. */
export type Receiver = {
  url: string;
  /** Every delivery of this event type so far. Waits for the first. */
  deliveries(event: string): Promise<Delivery[]>;
  close(): void;
};

const MAX_POLLS = 100;
const POLL_INTERVAL_MS = 100;

/** Starts a receiver on a free port. It accepts every request. */
export async function startReceiver(): Promise<Receiver> {
  const received: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  const of = (event: string) => received.filter(({ headers }) => headers['x-service-event'] === event);
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    async deliveries(event) {
      for (let polls = 0; polls < MAX_POLLS && of(event).length === 0; polls++) await pause(POLL_INTERVAL_MS);
      return of(event);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
