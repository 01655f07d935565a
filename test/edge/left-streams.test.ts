import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import type { EventStream } from '../../src/kernel/event-stream.ts';
import { bareEdge } from '../support/bare-edge.ts';
import { until } from '../support/processes.ts';

const deps = bareEdge({ partnerTickets: async () => ({ kind: 'nobody', owner: '' }) });

describe('an event stream', () => {
  let stopped = 0;
  let opening = Promise.withResolvers<void>();
  let left = Promise.withResolvers<void>();
  const stop = () => {
    stopped += 1;
  };
  const stream: EventStream = { start() {}, drained() {}, stop };
  const opened = async () => {
    opening.resolve();
    await left.promise;
    return { status: 200, body: stream };
  };
  const handlers = Object.fromEntries(listOperations().map(({ id }) => [id, opened])) as unknown as AnyHandlers; // as: only one is called
  const server = createEdge(deps, handlers);
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    stopped = 0;
    opening = Promise.withResolvers();
    left = Promise.withResolvers();
  });
  after(() => server.close());

  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

  async function ask(method: string) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
    socket.on('error', () => {});
    socket.write(`${method} /v1/stream?ticket=t HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await opening.promise;
    return socket;
  }

  for (const method of ['GET', 'HEAD']) {
    it(`whose reader leaves while it is opened is stopped (${method})`, async () => {
      const socket = await ask(method);
      socket.destroy();
      await until('its end', async () => (await connections()) === 0);
      left.resolve();

      await until('its stop', async () => stopped > 0);
      expect(stopped).to.equal(1);
    });
  }

  it('is stopped after the headers that HEAD asks for', async () => {
    const socket = await ask('HEAD');
    left.resolve();
    const [bytes] = await once(socket, 'data');

    expect(String(bytes))
      .to.match(/^HTTP\/1\.1 200 /)
      .and.to.include('text/event-stream');
    await until('its stop', async () => stopped > 0);
    expect(stopped).to.equal(1);
  });
});
