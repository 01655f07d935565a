import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP relay that may stop accepting: connections opened then wait, in order, with the bytes written to them, while those
 * accepted before are served. So does a server that has as many connections as it may have, or that accepts one a round.
 */
export type Backlog = {
  port: number;
  /** While closed, new connections wait. */
  accepting(open: boolean): void;
  /** While closed, responses wait. */
  responding(open: boolean): void;
  counts(): { accepted: number; waiting: number };
  close(): Promise<void>;
};

/** Starts a relay on a free port to a local one. */
export async function backlogOf(target: number): Promise<Backlog> {
  const sockets = new Set<Socket>();
  const [queue, responses]: [Socket[], (() => void)[]] = [[], []];
  const isOpen = { accepting: true, responding: true };
  let accepted = 0;
  const accept = (near: Socket) => {
    accepted += 1;
    const far = connect(target, '127.0.0.1');
    sockets.add(far.on('error', () => near.destroy()).on('close', () => near.destroy()));
    near.on('close', () => far.destroy());
    near.pipe(far);
    far.on('data', (bytes) => {
      const respond = () => near.write(bytes);
      if (isOpen.responding) respond();
      else responses.push(respond);
    });
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    sockets.add(near.on('error', () => near.destroy()));
    if (isOpen.accepting) accept(near);
    else queue.push(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // as: it listens on TCP
    accepting: (open) => {
      isOpen.accepting = open;
      if (open) for (const near of queue.splice(0)) accept(near);
    },
    responding: (open) => {
      isOpen.responding = open;
      if (open) for (const respond of responses.splice(0)) respond();
    },
    counts: () => ({ accepted, waiting: queue.length }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
