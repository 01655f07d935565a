import { connect, type Socket } from 'node:net';

type Ask = { method: string; path: string; headers: Record<string, string>; body?: string };
/** A response; `head` is its status line and headers. */
export type Reported = { status: number; head: string; text: string };

/** Persistent connections to one server. A light client, so that requests cost little of the machine. */
export type Line = { ask(ask: Ask): Promise<Reported>; close(): void };

/** A server closes connections that are idle for 65 s: one that was idle for half of that may be closed when it is used. */
const MOST_IDLE_MS = 30_000;

/** Opens connections on demand, up to a limit; further requests wait for one. */
export function openLine(url: string, connections: number): Line {
  const { hostname, port } = new URL(url);
  const free: { connection: Connection; since: number }[] = [];
  const all = new Set<Connection>();
  const waiting: ((connection: Connection) => void)[] = [];

  const take = async (): Promise<Connection> => {
    for (let kept = free.pop(); kept; kept = free.pop()) {
      const { connection, since } = kept;
      if (!connection.socket.destroyed && performance.now() - since < MOST_IDLE_MS) return connection;
      connection.socket.destroy();
      all.delete(connection);
    }
    if (all.size >= connections) return new Promise((resolve) => waiting.push(resolve));
    const fresh = openConnection(connect(Number(port), hostname));
    all.add(fresh);
    fresh.socket.once('close', () => all.delete(fresh));
    return fresh;
  };
  const release = (connection: Connection) => {
    const next = waiting.shift();
    if (next) next(connection);
    else free.push({ connection, since: performance.now() });
  };
  return {
    async ask(message) {
      const connection = await take();
      try {
        return await connection.exchange(written(message, hostname));
      } finally {
        release(connection);
      }
    },
    close: () => {
      for (const { socket } of all) socket.destroy();
    },
  };
}

function written({ method, path, headers, body }: Ask, host: string): string {
  const lines = Object.entries({
    Host: host,
    ...headers,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
  }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

type Connection = { socket: Socket; exchange(request: string): Promise<Reported> };

/** One request at a time; responses are read by their Content-Length, which our servers always send. */
function openConnection(socket: Socket): Connection {
  let received = '';
  let turn: PromiseWithResolvers<Reported> | undefined;
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const reported = readResponse(received);
    if (!reported) return;
    received = '';
    turn?.resolve(reported);
  });
  socket.on('error', (error) => turn?.reject(error));
  socket.on('close', () => turn?.reject(new Error('The server closed the connection')));
  return {
    socket,
    exchange(request) {
      turn = Promise.withResolvers<Reported>();
      socket.write(request);
      return turn.promise;
    },
  };
}

function readResponse(received: string): Reported | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const text = received.slice(headEnd + 4);
  return text.length < length ? null : { status: Number(head.slice(9, 12)), head, text };
}
