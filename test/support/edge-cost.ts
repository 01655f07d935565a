import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge, okHandlers } from './bare-edge.ts';

type RequestTo = { path: string; method?: string; headers?: Record<string, string> };

/** A bare edge that listens while the suite runs, asked over one connection. Call it in a `describe`. */
export function measuredEdge(more: Parameters<typeof bareEdge>[0] = {}) {
  const server = createEdge(bareEdge(more), okHandlers());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    agent.destroy();
    server.close();
  });

  async function ask(to: RequestTo): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const [response] = await once(request({ agent, port, ...to }).end(), 'response');
    await once(response.resume(), 'end');
    return response;
  }

  /** The status, and the least processor time of one of so many requests, in milliseconds: a busy machine counts for none of it. */
  async function costOf(runs: number, to: RequestTo) {
    const times: number[] = [];
    let status = 0;
    for (let n = 0; n < runs; n += 1) {
      const from = process.cpuUsage();
      status = (await ask(to)).statusCode ?? 0;
      const { user, system } = process.cpuUsage(from);
      times.push((user + system) / 1_000);
    }
    return { status, ms: Math.min(...times) };
  }

  return { ask, costOf };
}
