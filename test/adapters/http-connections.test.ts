import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import nock from 'nock';
import { httpClient, inTurns, type Reply } from '../../src/adapters/http.ts';

const exchange = httpClient();

describe('the connections of one HTTP exchange with an upstream', () => {
  // These tests use real sockets, which nock replaces as soon as any test loads it.
  before(() => nock.restore());
  after(() => nock.activate());

  it('is lost when TLS breaks after the request', async () => {
    const [key, cert] = ['key', 'crt'].map((kind) =>
      readFileSync(new URL(`../fixtures/tls/server.${kind}`, import.meta.url)),
    );
    const broken = createTcpServer((raw) => {
      const secured = new TLSSocket(raw, { isServer: true, key, cert });
      secured.once('data', () => raw.write('no TLS')).on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo; // as: it listens on TCP
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // the certificate is self-signed

    const reply = await exchange({
      method: 'POST',
      url: `https://127.0.0.1:${port}`,
      body: '{}',
      timeoutMs: 1_000,
    }).finally(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);

    expect(reply).to.deep.equal({ kind: 'lost', why: 'ERR_SSL_BAD_RECORD_TYPE' });
    broken.close();
  });

  it('opens a connection of its own for what is to be served after all others', async () => {
    const ports = new Set<number | undefined>();
    const server = createServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // as: it listens on TCP

    for (const isQueued of [false, false, true, true])
      await exchange({ method: 'GET', url, timeoutMs: 1_000, isQueued });

    server.closeAllConnections();
    server.close();
    expect(ports.size).to.equal(3);
  });

  it('takes a turn, in which only a response shows that the upstream is not silent', async () => {
    const hadResponse: boolean[] = [];
    const replies: Reply[] = [
      { kind: 'response', status: 500, headers: {}, text: '' },
      { kind: 'lost', why: 'ECONNRESET' },
      { kind: 'unsent', why: 'ECONNREFUSED' },
    ];
    const request = { method: 'GET', url: 'http://127.0.0.1:1', timeoutMs: 1_000 } as const;
    for (const reply of replies)
      await inTurns(async () => reply, {
        run: async (call, hasResponded) => {
          const result = await call();
          hadResponse.push(hasResponded(result));
          return result;
        },
      })(request);

    expect(hadResponse).to.deep.equal([true, false, false]);
    const noTurn = inTurns(exchange, { run: async () => null });
    expect(await noTurn(request)).to.deep.equal({ kind: 'unsent', why: 'NO_TURN' });
  });
});
