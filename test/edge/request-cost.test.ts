import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';

const LENGTH = 15_000; // of one part of a request: Node takes 16 kB of address and headers together
const RUNS = 5;
const TIMES_PLAIN = 5;
/** Below this a difference is noise of the measurement, not a cost. */
const NOISE_MS = 5;

const handlers = Object.fromEntries(
  listOperations().map(({ id }) => [id, async () => ({ status: 200, body: { status: 'ok' } })]),
) as unknown as AnyHandlers; // as: only one is called

describe('a request that anybody may send', () => {
  const server = createEdge(bareEdge({ admins: async () => null }), handlers);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    agent.destroy();
    server.close();
  });

  /** The status, and the shortest of several times in milliseconds. */
  async function costOf(path: string, headers: Record<string, string> = {}) {
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const times: number[] = [];
    let status = 0;
    for (let n = 0; n < RUNS; n += 1) {
      const from = performance.now();
      const [response] = await once(request({ agent, port, path, headers }).end(), 'response');
      await once(response.resume(), 'end');
      times.push(performance.now() - from);
      status = response.statusCode;
    }
    return { status, ms: Math.min(...times) };
  }

  const long = (part: string) => part.repeat(Math.floor(LENGTH / part.length));
  const between = (part: string) => `x${long(part)}y`;
  for (const [what, path, headers] of [
    ...['a=1&', 'limit=1&', '%41=%41&', '&', '=', '[', '+', '%'].map((part) => [
      'query',
      part,
      `/healthz?${long(part)}`,
    ]),
    ...['a', '/', '%41', '%2f', ':', '.'].map((part) => ['path', part, `/v2/${long(part)}`]),
    ...[' ', ';', 'a=b;', '; a'].map((part) => ['Cookie', part, '/v2/admin/me']),
    ...['a,', ',', ' ', ';', '*/*,', 'a/b;"'].map((part) => ['Accept', part, '/']),
    ...['a,', ',', ' ', ';', 'gzip;q=0.1,'].map((part) => ['Accept-Encoding', part, '/docs']),
    ...['"a",', ',', ' ', 'W/"'].map((part) => ['If-None-Match', part, '/docs']),
    ...[' ', 'Bearer ', 'a'].map((part) => ['Authorization', part, '/v2/admin/me']),
  ].map(([name = '', part = '', at = '']) => {
    const isHeader = name !== 'query' && name !== 'path';
    return [`${name} of ${JSON.stringify(part)}`, at, isHeader ? { [name]: between(part) } : {}] as const;
  }))
    it(`costs little more than any other, however long it is: ${what}`, async () => {
      const plain = await costOf('/healthz');

      const { status, ms } = await costOf(path, headers);

      expect(status).to.be.below(500);
      expect(ms).to.be.below(TIMES_PLAIN * plain.ms + NOISE_MS);
    });
});
