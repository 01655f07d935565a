import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';
import { until } from '../support/processes.ts';

const READ_WITHIN_MS = 1_000;
const LONGER = 'x'.repeat(16_000_000); // than all buffers between two sockets

const deps = bareEdge();

const handlers = Object.fromEntries(
  listOperations().map(({ id }) => [id, async () => ({ status: 200, body: { status: LONGER } })]),
) as unknown as AnyHandlers; // as: only one is called

describe('a response', () => {
  const server = createEdge(deps, handlers, undefined, READ_WITHIN_MS);
  const sockets: Socket[] = [];
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => server.close());

  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

  async function ask(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  }

  it('that is not read is not kept: its connection breaks', async () => {
    const socket = await ask();
    await once(socket, 'readable');

    await until('its end', async () => (await connections()) === 0);
    expect(socket.readableLength).to.be.below(LONGER.length);
  });

  it('that is read in time leaves its connection open for the next request', async () => {
    const socket = await ask();
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    await sleep(2 * READ_WITHIN_MS);

    expect(bytes).to.be.above(LONGER.length);
    expect(await connections()).to.equal(1);
  });
});
