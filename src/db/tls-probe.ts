import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const DEFAULT_PORT = 5432;

const RESPONSE_WITHIN_MS = 5_000;

const RETRY_MS = 1_000;

/** Whether the server takes TLS: its one-byte response to an SSLRequest (PostgreSQL's protocol, message formats). */
export async function offersTls({ hostname, port }: URL, onWait: (error: Error) => void): Promise<boolean> {
  if (hostname === '' || hostname.startsWith('%2F')) return false; // a unix socket
  for (;;) {
    try {
      return await askForTls(hostname.replace(/^\[|\]$/g, ''), Number(port) || DEFAULT_PORT);
    } catch (error) {
      onWait(error instanceof Error ? error : new Error(String(error)));
      await sleep(RETRY_MS);
    }
  }
}

function askForTls(host: string, port: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port }, () => socket.write(SSL_REQUEST));
  socket.setTimeout(RESPONSE_WITHIN_MS, () => socket.destroy(new Error('The database did not respond in time.')));
  socket.once('data', (data) => resolve(data.toString('latin1', 0, 1) === 'S'));
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('The database closed the connection.')));
  return promise.finally(() => socket.destroy());
}
