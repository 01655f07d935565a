import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge, drainable } from '../../src/edge/server.ts';
import type { TextStream } from '../../src/kernel/text-stream.ts';
import { bareEdge } from '../support/bare-edge.ts';
import { until } from '../support/processes.ts';

const CUT_AFTER_MS = 500;
const LONGER = 'x'.repeat(16_000_000); // than all buffers between two sockets

const deps = bareEdge({ partners: async () => ({ kind: 'nobody', owner: '' }) });

describe('a server that stops', () => {
  it('does not wait for the rest of a body', async () => {
    const unused = async () => ({ status: 200, body: {} });
    const handlers = Object.fromEntries(listOperations().map(({ id }) => [id, unused])) as unknown as AnyHandlers; // as: none is called
    const server = createEdge(deps, handlers);
    const drain = drainable(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const sending = connect(port, '127.0.0.1').on('error', () => {});
    const lines = [
      'Host: localhost',
      'Authorization: Bearer k',
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    sending.write(`POST /v1/orders/netvenue HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`);
    await once(server, 'request');

    const stopped = await Promise.race([drain(CUT_AFTER_MS).then(() => true), sleep(10_000, false)]);
    sending.destroy();

    expect(stopped).to.equal(true);
  }).timeout(20_000);

  it('does not wait for the reader of a statement, but for every handler', async () => {
    let ended = false;
    let begun = 0;
    async function* texts() {
      try {
        yield LONGER;
        yield LONGER;
      } finally {
        ended = true;
      }
    }
    const statement = async (): Promise<{ status: number; body: TextStream }> => {
      begun += 1;
      return { status: 200, body: { type: 'text/csv', name: 'statement.csv', texts: texts() } };
    };
    const slow = async () => {
      begun += 1;
      await sleep(3 * CUT_AFTER_MS);
      return { status: 200, body: { status: 'ok' } };
    };
    const handlers = Object.fromEntries(
      listOperations().map(({ id }) => [id, id === 'listPartnerStatement' ? statement : slow]),
    ) as unknown as AnyHandlers; // as: two are called
    const server = createEdge(deps, handlers);
    const drain = drainable(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const unread = connect(port, '127.0.0.1').on('error', () => {});
    unread.write(
      'GET /v1/statements HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\nAccept: text/csv\r\n\r\n',
    );
    const health = fetch(`http://127.0.0.1:${port}/healthz`);
    await once(unread, 'readable');
    await until('both requests', () => begun === 2);

    const stopped = await Promise.race([drain(CUT_AFTER_MS).then(() => true), sleep(10_000, false)]);
    unread.destroy();

    expect({ stopped, ended, status: (await health).status }).to.deep.equal({
      stopped: true,
      ended: true,
      status: 200,
    });
  }).timeout(20_000);
});
