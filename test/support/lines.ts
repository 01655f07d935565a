import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parseDsn } from 'slonik';

/** A way to a PostgreSQL server whose connections can go silent: they stay open and carry nothing any more. */
export type Line = {
  url: string;
  /** The number of open connections. */
  open(): number;
  /** Silences connections: the ones that are open, or these and all that are made until `restore`. */
  silence(which: 'open' | 'all'): void;
  /** New connections work; silenced ones stay silent permanently, as a router forgets them. */
  restore(): void;
  close(): Promise<void>;
};

/** Opens a line to the server of an address `postgres://user@%2Fsocket%2Ffolder:port/database`. */
export async function lineTo(url: string): Promise<Line> {
  const { host = '', port, username, databaseName } = parseDsn(url);
  const pairs = new Set<[Socket, Socket]>();
  let isDead = false;
  const server = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    if (isDead) near.pause();
    else near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo; // as: it listens on TCP
  return {
    url: `postgres://${username}@127.0.0.1:${listening}/${databaseName}`,
    open: () => pairs.size,
    silence(which) {
      isDead = which === 'all';
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    restore() {
      isDead = false;
    },
    async close() {
      server.close();
      for (const [near] of pairs) near.destroy();
    },
  };
}
