import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Context } from 'koa';
import { sendTextStream } from '../../src/edge/stream.ts';
import { until } from '../support/processes.ts';

const UNREAD_MS = 500;
const HOUR_MS = 3_600_000;
const LINES = 'x'.repeat(200_000);
const MORE_THAN_BUFFERS = 200;

describe('a text that is sent while it is made', () => {
  let sent = 0;
  let freed = 0;
  let log: unknown[] = [];
  const server = createServer(async (req, res) => {
    async function* made() {
      try {
        yield '';
        for (sent = 0; sent < MORE_THAN_BUFFERS; sent++) yield LINES;
      } finally {
        freed += 1;
      }
    }
    const texts = made();
    await texts.next();
    if (req.url === '/gone') await once(res, 'close');
    const ctx = { res, req, method: req.method, set() {}, state: {} } as unknown as Context; // as: what is used of it
    const info = (line: object) => void log.push(line);
    await sendTextStream(ctx, { type: 'text/csv', name: 'a.csv', texts }, { info }, UNREAD_MS);
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    freed = 0;
    log = [];
  });
  after(() => server.close());

  function request(path: string) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return socket;
  }

  async function ask() {
    const socket = request('/');
    await once(socket, 'readable');
    return socket;
  }

  it('breaks off, and frees its slot, once its reader takes nothing', async () => {
    const socket = await ask();

    await until('its end', () => (freed === 1 && log.length > 0) || null, 10 * UNREAD_MS);
    socket.destroy();

    expect(sent).to.be.below(MORE_THAN_BUFFERS);
    expect(log).to.have.length(1);
  });

  it('goes on for as long as its reader takes some of it now and then', async () => {
    const socket = await ask();
    const startedAt = performance.now();
    let bytes = 0;
    while (freed === 0 || socket.readableLength > 0) {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) bytes += chunk.length;
      await sleep(UNREAD_MS / 50);
    }
    socket.destroy();

    expect(performance.now() - startedAt, 'longer than the limit').to.be.above(UNREAD_MS);
    expect(bytes).to.be.above(MORE_THAN_BUFFERS * LINES.length);
    expect(log).to.deep.equal([]);
  });

  it('frees its slot if its reader has gone before it begins', async () => {
    const socket = request('/gone');
    await once(server, 'request');

    socket.destroy();

    await until('its end', () => log.length > 0 || null, 10 * UNREAD_MS);
    await until('a free slot', () => freed === 1 || null, UNREAD_MS);
  });

  it('leaves no timer of an hour behind', async () => {
    const timers = new Map<number, 'runs' | 'ended'>();
    const hook = createHook({
      init(id, type, _, resource) {
        const { _idleTimeout = 0 } = resource as { _idleTimeout?: number }; // as: that of a timer
        if (type === 'Timeout' && _idleTimeout >= HOUR_MS) timers.set(id, 'runs');
      },
      destroy: (id) => void (timers.has(id) && timers.set(id, 'ended')),
    }).enable();

    for await (const _ of request('/'));

    await until('the end of its timers', () => ![...timers.values()].includes('runs') || null, 10 * UNREAD_MS);
    hook.disable();
    expect([...timers.values()]).to.deep.equal(['ended']);
  });
});
