import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { webhooks } from '../../src/adapters/webhook/index.ts';
import type { SentRequest } from '../../src/adapters/webhook/types.ts';
import { startReceiver } from '../support/receivers.ts';
import { realSockets } from '../support/sockets.ts';

const MOST_BYTES = 20 * 1024 * 1024;
const TIME_OUT_MS = 3_000; // longer than the wait for a body
const SLACK_MS = 700; // 2 cores, shared with the other side of every connection
const OK = 'HTTP/1.1 200 OK\r\n';

const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));

/** Writes repeatedly until the other side stops reading. */
function pour(socket: Socket, chunk: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk)) if (socket.writableLength > 1e6) return;
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Harmful responses and the result that each must lead to. `withinMs`: when the attempt must be over. */
const attacks: Record<string, { respond(socket: Socket): void; expected: object; withinMs: number }> = {
  'an endless body': {
    respond: (socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, `10000\r\n${'x'.repeat(65_536)}\r\n`);
    },
    expected: { kind: 'response', status: 200 },
    withinMs: 2_000,
  },
  'a body that announces a terabyte': {
    respond: (socket) => {
      socket.write(`${OK}Content-Length: 1099511627776\r\n\r\n`);
      pour(socket, Buffer.alloc(65_536));
    },
    expected: { kind: 'response', status: 200 },
    withinMs: 2_000,
  },
  'a dripping body': {
    respond: (socket) => {
      socket.write(`${OK}Content-Length: 100000\r\n\r\n`);
      drip(socket, 'x', 100);
    },
    expected: { kind: 'response', status: 200 },
    withinMs: 2_000,
  },
  'a gzip bomb': {
    respond: (socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
    expected: { kind: 'response', status: 200 },
    withinMs: 2_000,
  },
  'huge headers': {
    respond: (socket) => {
      socket.write(`${OK}X-Huge: `);
      pour(socket, 'x'.repeat(65_536));
    },
    expected: { kind: 'fault', fault: 'malformed' },
    withinMs: 0,
  },
  'endless headers': {
    respond: (socket) => {
      socket.write(OK);
      pour(socket, 'X-More: 1\r\n'.repeat(1000));
    },
    expected: { kind: 'fault', fault: 'malformed' },
    withinMs: 0,
  },
  'headers that drip': {
    respond: (socket) => {
      socket.write(OK);
      drip(socket, 'X-A: 1\r\n', 200);
    },
    expected: { kind: 'fault', fault: 'timeout' },
    withinMs: TIME_OUT_MS,
  },
  'endless interim responses': {
    respond: (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 5),
    expected: { kind: 'fault', fault: 'timeout' },
    withinMs: TIME_OUT_MS,
  },
  silence: { respond: () => {}, expected: { kind: 'fault', fault: 'timeout' }, withinMs: TIME_OUT_MS },
  'a switch of protocols': {
    respond: (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
      pour(socket, Buffer.alloc(65_536));
    },
    expected: { kind: 'fault', fault: 'malformed' },
    withinMs: 0,
  },
  'what is not HTTP': {
    respond: (socket) => pour(socket, 'SSH-2.0-OpenSSH_9.9\r\n'.repeat(100)),
    expected: { kind: 'fault', fault: 'malformed' },
    withinMs: 0,
  },
};

describe('responses of receivers', () => {
  let unmocked: () => void;
  before(() => {
    unmocked = realSockets();
  });
  after(() => unmocked());

  const outgoing = (url: string) => ({
    deliveryId: 'whd_1',
    eventType: 'x',
    url,
    body: '{}',
    secrets: ['whsec_c2VjcmV0'],
  });

  it('cost little and end in time, whatever they are', async function () {
    this.timeout(30_000);
    const lines = await Promise.all(
      Object.entries(attacks).map(async ([name, { respond, expected, withinMs }]) => {
        const { url, close } = await startRawServer(respond);
        const { sent, tookMs } = await timed(url);
        close();
        expect(sent, name).to.include(expected);
        expect(tookMs, name).to.be.at.most(withinMs + SLACK_MS);
        return `    ${name}: ${sent.kind === 'fault' ? sent.fault : sent.status} after ${tookMs} ms`;
      }),
    );
    console.log(lines.join('\n'));
  });

  for (const name of [
    'an endless body',
    'a gzip bomb',
    'huge headers',
    'endless headers',
    'endless interim responses',
  ]) {
    it(`hold less than 20 MB: ${name}`, async () => {
      const { url, close } = await startRawServer(attacks[name]?.respond ?? (() => {}));
      globalThis.gc?.();
      const before = held();
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, held() - before);
      }, 5);
      await timed(url, 1_500);
      clearInterval(watch);
      close();
      console.log(`    ${name}: ${(most / 1e6).toFixed(1)} MB at most, both sides of the connection together`);
      expect(most).to.be.below(MOST_BYTES);
    });
  }

  it('are stored as text up to 2 KiB, without zero bytes', async () => {
    const receiver = await startReceiver(() => ({ status: 500, text: `no\0${'é'.repeat(4_000)}` }));
    const adapter = webhooks({ allowLoopback: true });

    const sent = await adapter.send(outgoing(receiver.url));

    expect(sent).to.include({ kind: 'response', status: 500 });
    const { text } = sent as Extract<SentRequest, { kind: 'response' }>;
    expect(text.startsWith('no\ufffdéé')).to.equal(true);
    expect(Buffer.byteLength(text)).to.be.within(2_000, 2_060);
    adapter.close();
    await receiver.close();
  });

  it('are awaited again when a reused connection had just been closed', async () => {
    const receiver = await startReceiver((_received, nth) => (nth === 2 ? 'drop' : 200));
    const adapter = webhooks({ allowLoopback: true });

    await adapter.send(outgoing(receiver.url));
    const second = await adapter.send(outgoing(receiver.url));

    expect(second).to.include({ kind: 'response', status: 200 });
    expect(receiver.ledger).to.have.length(3);
    adapter.close();
    await receiver.close();
  });

  for (const [header, wants] of [
    [() => '120', 120],
    [() => new Date(Date.now() + 60_000).toUTCString(), 60],
    [() => 'soon', null],
  ] as const) {
    it(`may request a delay: ${wants}`, async () => {
      const receiver = await startReceiver(() => ({ status: 503, headers: { 'Retry-After': header() } }));
      const adapter = webhooks({ allowLoopback: true });

      const sent = await adapter.send(outgoing(receiver.url));

      const { retryAfterS } = sent as Extract<SentRequest, { kind: 'response' }>;
      expect(retryAfterS === null ? null : Math.round(retryAfterS)).to.satisfy((s: number | null) =>
        wants === null ? s === null : Math.abs((s ?? 0) - wants) <= 1,
      );
      adapter.close();
      await receiver.close();
    });
  }

  async function timed(url: string, totalMs = TIME_OUT_MS): Promise<{ sent: SentRequest; tookMs: number }> {
    const adapter = webhooks({ allowLoopback: true, totalMs });
    const startedAt = performance.now();
    const sent = await adapter.send(outgoing(url));
    adapter.close();
    return { sent, tookMs: Math.round(performance.now() - startedAt) };
  }
});

const held = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** A server that writes something as soon as it receives something. */
async function startRawServer(respond: (socket: Socket) => void): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, // listening on TCP
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
