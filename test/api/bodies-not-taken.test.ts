import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { startService, type TestService } from '../support/service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PAIR = JSON.stringify({ pair: 'BTC' });

/** What programs send where an operation takes no body. */
const MEMBERLESS: [name: string, init: RequestInit][] = [
  ['nothing', {}],
  ['an empty text', { body: '', headers: JSON_TYPE }],
  ['an empty object', { body: ' {} ', headers: JSON_TYPE }],
  ['an empty list', { body: '[]', headers: JSON_TYPE }],
  ['null', { body: 'null', headers: JSON_TYPE }],
  ['an empty object as a form', { body: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
];
const REJECTED: [name: string, init: RequestInit & { duplex?: 'half' }][] = [
  ['a member', { body: PAIR, headers: JSON_TYPE }],
  ['a member as plain text', { body: PAIR }],
  ['a form', { body: new URLSearchParams({ pair: 'BTC' }) }],
  ['a member in chunks', { body: new Blob([PAIR]).stream(), duplex: 'half' }],
  ['a compressed member', { body: gzipSync(PAIR), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }],
  ['more than any body', { body: JSON.stringify({ pair: 'x'.repeat(1_000_000) }), headers: JSON_TYPE }],
];

describe('a body where the operation takes none', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('is rejected with its members: who names a pair does not mean the orders of all pairs', async () => {
    const wallet = await service.wallet();
    const rests = { pair: 'ETH', side: 'long', size: '1', order_type: 'limit', price: '1000' };
    expect((await wallet.post('/v1/orders/exvenue', rests)).body.status).to.equal('open');
    const headers = { authorization: `Bearer ${wallet.key}`, 'trader-id': wallet.wallet, ...JSON_TYPE };

    const reply = await fetch(`${service.url}/v1/orders/exvenue`, { method: 'DELETE', headers, body: PAIR });

    const { error } = (await reply.json()) as { error: { code: string; effect: string } };
    expect([reply.status, error.code, error.effect]).to.deep.equal([422, 'INVALID_REQUEST', 'none']);
    expect((await wallet.get('/v1/orders/exvenue')).body).to.have.length(1);
  });

  it('is rejected in any form, and ignored where it has no members', async () => {
    const { key } = await service.partner();
    const ask = async ({ headers, ...init }: RequestInit) => {
      const sent = { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, ...init };
      return (await fetch(`${service.url}/v1/stream-tickets`, sent)).status;
    };

    for (const [name, init] of MEMBERLESS) expect(await ask(init), name).to.equal(200);
    for (const [name, init] of REJECTED) expect(await ask(init), name).to.equal(422);
  });

  it('is rejected by every operation that changes something, once its caller is known', async () => {
    const { key } = await service.partner();
    const writes = listOperations().filter(
      ({ body, method, security }) =>
        !body && method !== 'get' && security.some(([first]) => first?.scheme === 'partnerKey'),
    );
    expect(writes.length).to.be.above(7);
    for (const { id, method, path } of writes) {
      const address = service.url + path.replaceAll(/\{\w+\}/g, 'x');
      const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE };
      const reply = await fetch(address, { method: method.toUpperCase(), headers, body: '{"foo": 1}' });
      const { error } = (await reply.json()) as { error: { message: string } };
      expect([reply.status, error.message], id).to.deep.equal([422, 'body must be empty: the operation takes none.']);
    }
  });
});
