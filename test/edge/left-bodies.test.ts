import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge, okHandlers } from '../support/bare-edge.ts';
import { until } from '../support/processes.ts';

const SOON_MS = 5_000;
const LENGTH = 400_000; // more than the service reads at once, and little enough for the buffers between two sockets
const GZIP = gzipSync('{}');
const EMPTIES = Buffer.concat(Array(20_000).fill(gzipSync('')));

let logged = 0;
const log = { debug() {}, info: () => (logged += 1), error() {} };
const deps = bareEdge({ log, partners: async () => ({ kind: 'nobody', owner: '' }) });
describe('a body that is rejected before its end', () => {
  const server = createEdge(deps, okHandlers());
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {}); // as: it listens on TCP
  const headOf = (headers: readonly string[]) => {
    const lines = ['Host: a', 'Authorization: Bearer k', 'Content-Type: application/json', ...headers];
    return `POST /v1/orders/netvenue HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  };
  const lengthOf = (...parts: Buffer[]) => `Content-Length: ${Buffer.concat(parts).length}`;

  /** The statuses of a request with this body, and of the next one on its connection. */
  async function statusesOf(headers: readonly string[], body: readonly (string | Buffer)[]) {
    const socket = open();
    const both = Promise.withResolvers<string>();
    let responses = '';
    socket.on('data', (data) => {
      responses += data;
      if (responses.endsWith('{"status":"ok"}')) both.resolve(responses);
    });
    socket.write(headOf(headers));
    for (const part of body) socket.write(part);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    const received = await Promise.race([both.promise, sleep(SOON_MS, responses)]);
    socket.destroy();
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  const bytes = Buffer.alloc(LENGTH, 'x');
  const chunked = [`${LENGTH.toString(16)}\r\n`, bytes, '\r\n0\r\n\r\n'];
  const bomb = gzipSync(Buffer.alloc(100_000_000));
  for (const [what, status, headers, body] of [
    ['is longer than it may be', 413, ['Transfer-Encoding: chunked'], chunked],
    ['says that it is longer than it may be', 413, [lengthOf(bytes)], [bytes]],
    ['is no gzip', 400, ['Content-Encoding: gzip', lengthOf(bytes)], [bytes]],
    ['goes on after its gzip', 400, ['Content-Encoding: gzip', lengthOf(GZIP, bytes)], [GZIP, bytes]],
    ['is empty gzips', 413, ['Content-Encoding: gzip', lengthOf(EMPTIES, GZIP)], [EMPTIES, GZIP]],
    ['is a bomb', 413, ['Content-Encoding: gzip', lengthOf(bomb)], [bomb]],
  ] as const)
    it(`does not delay the next request on its connection, which behind a proxy is another caller's: one that ${what}`, async () => {
      expect(await statusesOf(headers, body)).to.deep.equal([status, 200]);
    }).timeout(2 * SOON_MS);

  it('does not end the process if it is too long and cannot be decompressed after that', async () => {
    const stored = gzipSync(bytes, { level: 0 });
    for (let from = 132_000; from < 220_000; from += 4_000) {
      const broken = Buffer.from(stored).fill(0xff, from, from + 70_000);

      expect(await statusesOf(['Content-Encoding: gzip', lengthOf(broken)], [broken])).to.deep.equal([413, 200]);
    }
  }).timeout(10 * SOON_MS);

  for (const coding of ['identity', 'gzip'])
    it(`ends its request when the caller disconnects (${coding})`, async () => {
      const before = logged;
      const socket = open();
      socket.write(headOf([`Content-Encoding: ${coding}`, 'Content-Length: 100']));
      socket.write(coding === 'gzip' ? GZIP.subarray(0, 10) : '{');
      await once(server, 'request');
      await sleep(50);
      socket.destroy();

      await until('its end', () => logged > before);
    });
});
