import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of this machine that forwards to a socket; the target can be changed or removed. */
export type Address = {
  port: number;
  leadTo(socket: string): void;
  /** Breaks every forwarded connection. */
  cut(): void;
  close(): Promise<void>;
};

/** Opens an address, like a platform's floating address. */
export async function openAddress(socket: string): Promise<Address> {
  let target = socket;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    const ends = [near, far];
    const close = () => {
      for (const end of ends) open.delete(end.destroy());
    };
    for (const end of ends) open.add(end.on('error', close).on('close', close));
    near.pipe(far).pipe(near);
  });
  const cut = () => {
    for (const end of open) end.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP
    leadTo(next) {
      target = next;
    },
    cut,
    async close() {
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}
