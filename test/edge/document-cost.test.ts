import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';

const RUNS = 30;
const TIMES_PLAIN = 5;
/** Below this a difference is noise of the measurement, not a cost. */
const NOISE_MS = 1;

const handlers = Object.fromEntries(
  listOperations().map(({ id }) => [id, async () => ({ status: 200, body: { status: 'ok' } })]),
) as unknown as AnyHandlers; // as: only one is called

describe('a document that anybody may ask for', () => {
  const server = createEdge(bareEdge(), handlers);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    agent.destroy();
    server.close();
  });

  async function ask(path: string, method: string, headers: Record<string, string>) {
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const [response] = await once(request({ agent, port, method, path, headers }).end(), 'response');
    await once(response.resume(), 'end');
    return response;
  }

  /** The shortest of several requests, in milliseconds. */
  async function costOf(path: string, method = 'GET', headers: Record<string, string> = {}) {
    const times: number[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      const from = performance.now();
      await ask(path, method, headers);
      times.push(performance.now() - from);
    }
    return Math.min(...times);
  }

  for (const path of ['/openapi.json', '/docs/reference'])
    it(`costs little more than any other response, although it has a megabyte: ${path}`, async () => {
      const { headers } = await ask(path, 'GET', {});
      const most = TIMES_PLAIN * (await costOf('/healthz')) + NOISE_MS;

      expect(Number(headers['content-length'])).to.be.above(1_000_000);
      expect(await costOf(path, 'HEAD'), 'HEAD').to.be.below(most);
      expect(await costOf(path, 'GET', { 'If-None-Match': String(headers.etag) }), 'unchanged').to.be.below(most);
      expect(await costOf(path, 'GET', { 'Accept-Encoding': 'gzip' }), 'compressed').to.be.below(most);
    });
});
