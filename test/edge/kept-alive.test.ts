import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';

/** How long Heroku's router keeps an idle connection to a dyno: https://devcenter.heroku.com/articles/http-routing#keepalives */
const ROUTER_KEEPS_S = 90;

const handlers = Object.fromEntries(
  listOperations().map(({ id }) => [id, async () => ({ status: 200, body: { status: 'ok' } })]),
) as unknown as AnyHandlers; // as: only one is called

describe('an idle connection', () => {
  it('is kept for longer than by the router, which would send a request on one that is being closed', async () => {
    const server = createEdge(bareEdge(), handlers).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on TCP

    const request = get({ port, host: '127.0.0.1', path: '/healthz', headers: { connection: 'keep-alive' } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    response?.resume();
    const [, keptS] = /^timeout=(\d+)$/.exec(String(response?.headers['keep-alive'])) ?? [];
    server.closeAllConnections();
    server.close();

    expect(Number(keptS)).to.be.above(ROUTER_KEEPS_S);
  });
});
