import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { Caller, Reply } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Every path of the contract with the methods that it does not support. */
const unsupported = [...Map.groupBy(listOperations(), ({ path }) => path)].map(([path, operations]) => {
  const known = operations.map(({ method }) => method.toUpperCase());
  return { path, known, wrong: METHODS.filter((method) => !known.includes(method)) };
});

describe('the edge', () => {
  let service: TestService;
  let partner: Caller;
  before(async () => {
    service = await startService({ worker: false });
    partner = await service.partner();
  });
  after(() => service.stop());

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = { Authorization: `Bearer ${partner.key}`, ...init.headers };
    const response = await fetch(service.url + path, { ...init, method, headers });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text && JSON.parse(text) };
  }

  for (const { path, known, wrong } of unsupported.filter(({ path }) => !path.includes('{'))) {
    it(`responds with 405 to other methods of ${path} and lists the allowed ones`, async () => {
      const [options, ...replies] = await Promise.all(['OPTIONS', ...wrong].map((method) => ask(method, path)));

      for (const reply of replies) expectProblem(reply, 'METHOD_NOT_ALLOWED', { retryable: false });
      for (const { headers } of [options, ...replies].filter((reply) => reply !== undefined))
        expect(String(headers.allow).split(', ')).to.have.members(known.includes('GET') ? ['HEAD', ...known] : known);
      expect(options?.status).to.equal(200);
      const head = await fetch(service.url + path, { method: 'HEAD' });
      expect(head.status === 405, 'HEAD').to.equal(!known.includes('GET'));
    });
  }

  it('does not bind browsers to https where its address is http', async () => {
    expect((await ask('GET', '/healthz')).headers).not.to.have.property('strict-transport-security');
  });

  it('responds with 405 to other methods of a path with an id, and to unknown methods', async () => {
    const replies = [await ask('PATCH', `${ORDERS}/${UUID}`), await ask('PROPFIND', ORDERS)];

    for (const reply of replies) expectProblem(reply, 'METHOD_NOT_ALLOWED');
    expect(String(replies[0]?.headers.allow).split(', ')).to.include.members(['GET', 'DELETE']);
    expect(String(replies[1]?.headers.allow).split(', ')).to.include.members(['POST']);
  });

  for (const path of ['/v1', '/v1/orders', `${ORDERS}/`, `/V1/orders/netvenue/${UUID}`, '/v1/intents', '/docs/../x']) {
    it(`responds with 404 to ${path}`, async () => {
      expectProblem(await ask('GET', path), 'NOT_FOUND', { retryable: false });
    });
  }

  it('responds with 404 to any method of an unknown path: no other method would be allowed', async () => {
    for (const method of ['PROPFIND', 'LOCK', 'PUT'])
      expectProblem(await ask(method, '/v1/nowhere'), 'NOT_FOUND', { retryable: false });
  });

  it('has nothing of the sandbox', async () => {
    const reads = ['', '/mails', '/network/ledger', '/pay/pi_1_secret_2'].map((path) => ask('GET', `/sandbox${path}`));
    const writes = ['/clock/advance', '/network/faults'].map((path) => ask('POST', `/sandbox${path}`, { body: '{}' }));

    for (const reply of await Promise.all([...reads, ...writes])) expectProblem(reply, 'NOT_FOUND');
  });

  it('states that a write to an unknown path had no effect', async () => {
    expectProblem(await ask('POST', '/v1/nowhere', { body: '{}' }), 'NOT_FOUND', { effect: 'none' });
  });

  it('treats paths that cannot be decoded as bad input, not as a bug', async () => {
    const replies = await Promise.all(['%E0%A4%A', '%', '%ff'].map((id) => ask('GET', `/v1/intents/${id}`)));

    expect(replies.map(({ status }) => status)).to.deep.equal([400, 422, 400]);
  });

  it('returns the caller’s request id, and generates one if it is missing or invalid', async () => {
    const ids = await Promise.all(
      ['abc.DEF_1:2-3', '', 'with space', 'x'.repeat(129)].map(async (id) => {
        const { headers } = await ask('GET', '/healthz', { headers: { 'X-Request-Id': id } });
        return headers['x-request-id'];
      }),
    );

    expect(ids[0]).to.equal('abc.DEF_1:2-3');
    for (const id of ids.slice(1)) expect(id).to.match(/^[0-9a-f-]{36}$/);
  });

  it('rejects unknown query parameters and repeated ones', async () => {
    const replies = [
      await ask('POST', `${ORDERS}?unheard=1`, {
        headers: { 'Trader-ID': '0', 'Content-Type': 'application/json' },
        body: JSON.stringify(market()),
      }),
      await ask('DELETE', `${ORDERS}/${UUID}?trade_pair=A&trade_pair=B`, { headers: { 'Trader-ID': '0' } }),
    ];

    for (const reply of replies) {
      expectProblem(reply, 'INVALID_REQUEST', { effect: 'none' });
      expect(reply.body.error.fields[0].loc[0]).to.equal('query');
    }
  });

  it('rejects numbers of the query that are beyond all numbers: a page of that size has no end, or is empty', async () => {
    const paths = ['/v1/events?limit', '/v1/positions/netvenue?limit', '/v1/sessions?limit', '/v1/stream?interval_ms'];
    const wrong = ['Infinity', '-Infinity', '1e999', '-1e999', 'NaN'];

    const requests = paths.flatMap((path) => wrong.map((text) => `${path}=${text}`));
    const replies = await Promise.all(requests.map((path) => ask('GET', path, { headers: { 'Trader-ID': '0' } })));

    for (const reply of replies) {
      expectProblem(reply, 'INVALID_REQUEST');
      expect(reply.body.error.fields[0].loc[0]).to.equal('query');
    }
  });

  it('rejects an empty Idempotency-Key: a repeat would be a second order', async () => {
    const headers = { 'Trader-ID': '0', 'Content-Type': 'application/json', 'Idempotency-Key': '' };

    const reply = await ask('POST', ORDERS, { headers, body: JSON.stringify(market()) });

    expectProblem(reply, 'INVALID_REQUEST', { effect: 'none' });
    expect(reply.body.error.fields[0].loc).to.deep.equal(['header', 'Idempotency-Key']);
  });

  it('applies the size limit to a compressed body after decompression', async () => {
    const body = gzipSync(JSON.stringify({ trade_pair: 'x'.repeat(10_000_000) }));
    for (const coding of ['gzip', 'GZIP']) {
      const headers = { 'Trader-ID': '0', 'Content-Type': 'application/json', 'Content-Encoding': coding };

      expectProblem(await ask('POST', ORDERS, { body, headers }), 'BODY_TOO_LARGE', { effect: 'none' });
    }
  });

  it('rejects a huge body without a declared length', async () => {
    const parts = Array.from({ length: 300 }, () => `80000\r\n${'x'.repeat(0x80000)}\r\n`);
    const head = `POST ${ORDERS} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${partner.key}\r\nTrader-ID: 0\r\n`;

    const response = await raw(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`, parts);

    expect(response).to.match(/^HTTP\/1.1 413 /);
    expect(response).to.include('BODY_TOO_LARGE');
  });

  for (const [what, head, status, code] of [
    ['is no HTTP', 'nonsense\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'has two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'has a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    ['splits a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\rX-C: d\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['has no Host', 'POST / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['has two Hosts', 'POST / HTTP/1.1\r\nHost: a\r\nhOST: b\r\nConnection: close\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'has a target that is no URL',
      'POST http://[::1/v1/sessions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'has huge headers',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
  ] as const) {
    it(`responds to ${what} with a problem document, and closes the connection`, async () => {
      const response = await raw(head, []);
      const [top = '', text = ''] = response.split('\r\n\r\n');

      expect(top)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.to.match(/^connection: close$/im);
      const requestId = /^x-request-id: (.+)$/im.exec(top)?.[1];
      const headers = { 'content-type': 'application/problem+json', 'x-request-id': requestId };
      expectProblem({ status, headers, body: JSON.parse(text) }, code, { effect: 'none' });
    });
  }

  it('responds to one request on a connection whose next one cannot be read', async () => {
    const response = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n', []);

    expect(response)
      .to.match(/^HTTP\/1.1 200 [\s\S]*^connection: close\r$/im)
      .and.not.include('HTTP/1.1 400');
  });

  it('ignores an unknown Expect header', async () => {
    const response = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\nConnection: close\r\n\r\n', []);

    expect(response).to.match(/^HTTP\/1.1 200 /);
  });

  it('keeps responding after clients disconnect', async () => {
    const head = `POST ${ORDERS} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${partner.key}\r\nTrader-ID: 0\r\n`;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"trade_pair"`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();

    const { status } = await ask('GET', '/healthz');

    expect(status).to.equal(200);
    expect(service.log.lines.filter(({ msg }) => msg === 'bug')).to.deep.equal([]);
  });

  /** Writes to the socket until the service responds, and returns the response. */
  function raw(head: string, parts: string[]): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let response = '';
    const done = () => resolve(response);
    socket.on('data', (bytes) => {
      response += bytes;
      if (response.includes('\r\n\r\n{')) socket.destroy();
    });
    socket.on('error', done).on('close', done);
    socket.write(head);
    for (const part of parts) socket.write(part);
    return promise;
  }
});
