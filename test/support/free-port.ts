import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, which would take one before it is used (ip_local_port_range of Linux). */
const FROM = 10_000;
const TO = 30_000;

/** A port of this machine that is free now, at random: processes that ask at once hardly get the same. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false, // somebody listens on it
    );
    if (!isFree) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
}
