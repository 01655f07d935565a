import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';

const SLOW_MS = 600;
const BESIDE_MS = 300; // what everything else may take on a busy machine

type Waiting = { settled(accepted: object): Promise<unknown> };

describe('the wait that a caller prefers', () => {
  const deps = bareEdge({
    partners: async () => ({ kind: 'partner', owner: 'ptn_a', keyId: 'k', perMinute: 1_000 }),
    wait: async (_: object, ms: number) => {
      await sleep(ms);
      return { settled_at: null };
    },
  });
  const accepted = { id: '0198f7a0-5555-7666-8777-888899990000', replayed: false };
  let handled: (call: Waiting) => Promise<unknown>;
  const handler = async (call: Waiting) => {
    await handled(call);
    return { status: 202, body: {} };
  };
  const handlers = Object.fromEntries(listOperations().map(({ id }) => [id, handler])) as unknown as AnyHandlers; // as: only one is called
  const server = createEdge(deps, handlers);
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** How long the response to an order takes that waits for a second. */
  async function tookMs(): Promise<number> {
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const startedAt = performance.now();
    const reply = await fetch(`http://127.0.0.1:${port}/v1/orders/netvenue`, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer k',
        'Trader-ID': '1',
        'Content-Type': 'application/json',
        Prefer: 'wait=1',
      },
      body: JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 1 }),
    });
    expect([reply.status, reply.headers.get('Preference-Applied')]).to.deep.equal([202, 'wait=1']);
    return performance.now() - startedAt;
  }

  it('begins when the request arrives, so slow steps before it do not delay the response', async () => {
    handled = async (call) => {
      await sleep(SLOW_MS);
      await call.settled(accepted);
    };

    expect(await tookMs()).to.be.within(1_000 - 50, 1_000 + BESIDE_MS);
  });

  it('covers everything that a request waits for', async () => {
    handled = async (call) => {
      await call.settled(accepted);
      await call.settled(accepted);
    };

    expect(await tookMs()).to.be.within(1_000 - 50, 1_000 + BESIDE_MS);
  });
});
