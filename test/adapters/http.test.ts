import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import nock from 'nock';
import { httpClient, parseJson, type Reply } from '../../src/adapters/http.ts';

const exchange = httpClient();

describe('one HTTP exchange with an upstream', () => {
  let upstream: Server | undefined;
  let arrived = 0;

  const serve = async (upstreamResult: RequestListener): Promise<string> => {
    const server = createServer((request, response) => {
      arrived += 1;
      upstreamResult(request, response);
    });
    upstream = server;
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // as: it listens on TCP
  };

  const post = (
    url: string,
    limits: { timeoutMs?: number; notAfter?: number; signal?: AbortSignal; onSent?: () => void } = {},
  ): Promise<Reply> =>
    exchange({
      method: 'POST',
      url,
      body: '{}',
      headers: { authorization: 'Bearer secret' },
      timeoutMs: 1_000,
      ...limits,
    });

  // These tests use real sockets, which nock replaces as soon as any test loads it.
  before(() => nock.restore());
  after(() => nock.activate());

  beforeEach(() => {
    arrived = 0;
  });

  afterEach(() => {
    upstream?.closeAllConnections();
    upstream?.close();
  });

  it('returns status, headers and text, whatever the status', async () => {
    const url = await serve((_, response) => response.writeHead(503, { 'x-mark': 'yes' }).end('busy'));

    const reply = await post(url);

    expect(reply).to.deep.include({ kind: 'response', status: 503, text: 'busy' });
    expect(reply).to.have.nested.property('headers.x-mark', 'yes');
  });

  it('says when all of a request has left, before any response, and not if nothing left', async () => {
    const left: string[] = [];
    const has = Promise.withResolvers<void>();
    const url = await serve(async (_, response) => {
      await has.promise;
      response.end('late');
    });

    const reply = await post(url, { onSent: has.resolve });
    await post('http://127.0.0.1:1', { onSent: () => left.push('nothing listens') });

    expect(reply).to.include({ kind: 'response', text: 'late' });
    expect(left).to.deep.equal([]);
  });

  it('is unsent when nothing listens', async () => {
    expect(await post('http://127.0.0.1:1/')).to.deep.equal({ kind: 'unsent', why: 'ECONNREFUSED' });
  });

  it('is unsent for an invalid address', async () => {
    expect(await post('no address')).to.deep.equal({ kind: 'unsent', why: 'ERR_INVALID_URL' });
  });

  it('is unsent as soon as it is too late, although the other side has not answered the handshake', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // as: it listens on TCP
    const startedAt = performance.now();

    const reply = await post(`https://127.0.0.1:${port}`, { timeoutMs: 10_000, notAfter: Date.now() + 200 });

    expect(reply).to.deep.equal({ kind: 'unsent', why: 'TOO_LATE' });
    expect(performance.now() - startedAt).to.be.below(1_500);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('is unsent when the other side does not speak TLS', async () => {
    const url = await serve((_, response) => response.end());

    expect(await post(url.replace('http:', 'https:'))).to.include({ kind: 'unsent' });
  });

  it('is lost when the connection is reset after the request', async () => {
    const url = await serve((request) => request.socket.destroy());

    expect(await post(url)).to.deep.equal({ kind: 'lost', why: 'ECONNRESET' });
  });

  it('is lost when a reused connection is reset', async () => {
    const url = await serve((request, response) => (arrived === 1 ? response.end('ok') : request.socket.destroy()));
    await post(url);

    expect(await post(url)).to.deep.equal({ kind: 'lost', why: 'ECONNRESET' });
    expect(arrived, 'a write is never repeated').to.equal(2);
  });

  it('is lost when no response arrives in time', async () => {
    const url = await serve(() => {});

    expect(await post(url, { timeoutMs: 50 })).to.deep.equal({ kind: 'lost', why: 'ETIMEDOUT (request)' });
  });

  it('is lost when the response breaks off', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"success": true');
      setTimeout(() => request.socket.destroy(), 20);
    });

    expect(await post(url)).to.include({ kind: 'lost' });
  });

  it('is lost at once when a compressed response breaks off', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('{"success": true}').subarray(0, 12));
      setTimeout(() => request.socket.destroy(), 20);
    });

    expect(await post(url, { timeoutMs: 1_500 })).to.deep.equal({ kind: 'lost', why: 'ECONNRESET' });
  });

  it('is lost when the response grows beyond the limit', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(17 * 1024 * 1024)));

    expect(await post(url)).to.deep.equal({ kind: 'lost', why: 'TOO_LONG' });
  });

  it('is lost when aborted after the request left, unsent when aborted before', async () => {
    const url = await serve(() => {});
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);

    expect(await post(url, { signal: abort.signal })).to.include({ kind: 'lost' });
    expect(await post(url, { signal: abort.signal })).to.include({ kind: 'unsent' });
    expect(arrived).to.equal(1);
  });

  it('sends nothing past its deadline, on a new connection or a reused one', async () => {
    const url = await serve((_, response) => response.end('ok'));
    const past = { notAfter: Date.now() - 1 };

    const onNew = await post(url, past);
    await post(url);
    const onReused = await post(url, past);

    expect([onNew, onReused]).to.deep.equal(Array(2).fill({ kind: 'unsent', why: 'TOO_LATE' }));
    expect(arrived).to.equal(1);
  });

  it('follows no redirect, because that would forward the key', async () => {
    const url = await serve((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());

    expect(await post(url)).to.include({ kind: 'response', status: 307 });
    expect(arrived).to.equal(1);
  });

  it('decompresses a response that says it is compressed', async () => {
    const compressed = {
      gzip: gzipSync('[1]'),
      deflate: deflateSync('[1]'),
      br: brotliCompressSync('[1]'),
      GZIP: gzipSync('[1]'),
    };

    for (const [encoding, body] of Object.entries(compressed)) {
      const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
      expect(await post(url), encoding).to.deep.include({ kind: 'response', text: '[1]' });
      upstream?.close();
    }
  });

  it('is lost when a compressed response is broken, or grows beyond the limit', async () => {
    const bodies = [gzipSync('[1]').subarray(0, 12), Buffer.from('no gzip'), gzipSync(Buffer.alloc(17 * 1024 * 1024))];
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bodies[arrived - 1]),
    );

    const replies = [await post(url), await post(url), await post(url)];

    expect(replies.map(({ kind }) => kind)).to.deep.equal(['lost', 'lost', 'lost']);
    expect(replies[2]).to.include({ why: 'TOO_LONG' });
  });

  it('reads a response without a body', async () => {
    const url = await serve((_, response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end());

    expect(await post(url)).to.deep.include({ kind: 'response', status: 204, text: '' });
  });

  it('sends its body in one piece, with its length in bytes', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(request.method, request.headers['content-length'], request.headers['transfer-encoding']);
      request.resume().once('end', () => response.end());
    });

    await exchange({ method: 'POST', url, body: '{"a":"ü"}', timeoutMs: 1_000 });
    await exchange({ method: 'GET', url, timeoutMs: 1_000 });

    expect(seen).to.deep.equal(['POST', '10', undefined, 'GET', undefined, undefined]);
  });

  it('reads JSON without throwing', () => {
    expect(parseJson('{"a":1}')).to.deep.equal({ a: 1 });
    expect(parseJson('{"a":')).to.equal(undefined);
    expect(parseJson('<html>')).to.equal(undefined);
  });
});
