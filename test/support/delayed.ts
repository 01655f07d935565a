import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** A relay to a TCP server whose responses arrive late, in order. */
export type DelayedRelay = { port: number; close(): Promise<void> };

/** Where the database of a URL listens: on TCP, or on a socket in a folder. */
export function listenerOf({ hostname, port }: URL): NetConnectOpts {
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port || 5432}` } : { host, port: Number(port || 5432) };
}

/** Starts a relay on a free port: requests pass at once, responses `delayMs` later. */
export async function delayedRelay(target: NetConnectOpts, delayMs: number): Promise<DelayedRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket.on('error', () => other.destroy()).on('close', () => other.destroy()));
    }
    near.pipe(far);
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), delayMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // as: it listens on TCP
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
