import { once } from 'node:events';
import net, { type AddressInfo, Socket } from 'node:net';
import nock from 'nock';

/** Listeners on this machine, on one port of both families, that only count connections. */
export type Listeners = { port: number; connections(): number; close(): Promise<void> };

/** Starts listeners on 127.0.0.1 and ::1. */
export async function listenInside(): Promise<Listeners> {
  let connections = 0;
  const listen = async (host: string, port: number) => {
    const server = net.createServer((socket) => {
      connections += 1;
      socket.on('error', () => {}).end();
    });
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  };
  const v4 = await listen('127.0.0.1', 0);
  const { port } = v4.address() as AddressInfo; // listening on TCP
  const servers = [v4, await listen('::1', port)];
  return {
    port,
    connections: () => connections,
    async close() {
      for (const server of servers) server.close();
    },
  };
}

/**
 * Records the literal host of every socket this process opens. Rejects connections that would leave this machine at
 * once, so that no test can send anything out.
 */
export function watchSockets(): { hosts: string[]; stop(): void } {
  const hosts: string[] = [];
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const { host, path } = Object([args].flat(2)[0]) as { host?: string; path?: string };
    if (host !== undefined && !path) {
      hosts.push(host);
      if (!/^(127\.|::1$|localhost$)/.test(host)) {
        process.nextTick(() => this.destroy(Object.assign(new Error('left alone'), { code: 'ECONNREFUSED' })));
        return this;
      }
    }
    return connect.apply(this, args as Parameters<typeof connect>);
  } as typeof connect;
  return {
    hosts,
    stop: () => {
      Socket.prototype.connect = connect;
    },
  };
}

/** Removes nock, which other tests load, from the sockets; the returned function restores it. */
export function realSockets(): () => void {
  const wasActive = nock.isActive();
  nock.restore();
  return () => void (wasActive && !nock.isActive() && nock.activate());
}
