import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge, okHandlers } from '../support/bare-edge.ts';

/** How long Heroku's router keeps an idle connection to a dyno: https://devcenter.heroku.com/articles/http-routing#keepalives */
const ROUTER_KEEPS_S = 90;

describe('an idle connection', () => {
  it('is kept longer than the router keeps it, so that no request is sent on a closing connection', async () => {
    const server = createEdge(bareEdge(), okHandlers()).listen(0, '127.0.0.1');
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
