import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect } from 'chai';
import { servedContract } from '../../src/edge/docs/served-contract.ts';
import { type Identity, startIdentity } from '../support/identity.ts';

const DOCUMENTS = [
  '/openapi.json',
  '/docs',
  '/docs/reference',
  '/docs/search.json',
  '/docs/docs.css',
  '/docs/minisearch.js',
];

describe('static documents', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity({}, false);
  });
  after(() => service.stop());

  /** Sends requests like a browser with a cache; fetch never revalidates. */
  async function get(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const [response] = await once(request(service.url + path, { agent: false, headers }).end(), 'response');
    return response;
  }

  for (const path of DOCUMENTS) {
    it(`sends ${path} once, and then 304 until it changes`, async () => {
      const first = await get(path);
      const body = await text(first);
      const again = await get(path, { 'If-None-Match': String(first.headers.etag), 'Accept-Encoding': 'gzip, br' });
      const other = await get(path, { 'If-None-Match': 'W/"other"' });

      expect(first.statusCode).to.equal(200);
      expect(first.headers.etag).to.match(/^W\/".+"$/);
      expect(first.headers['content-encoding']).to.equal(undefined);
      expect(first.headers['cache-control']).to.match(/^(no-cache|public, max-age=86400)$/);
      expect(again.statusCode).to.equal(304);
      expect(await text(again)).to.equal('');
      expect(again.headers.etag).to.equal(first.headers.etag);
      expect(other.statusCode).to.equal(200);
      expect(await text(other)).to.equal(body);
    });
  }

  it('sends them as they are to clients that accept no encoding at all', async () => {
    for (const accepted of ['identity;q=0', '*;q=0', 'exotic, *;q=0']) {
      const response = await get('/openapi.json', { 'Accept-Encoding': accepted });

      expect(response.statusCode, accepted).to.equal(200);
      expect(response.headers['content-encoding'], accepted).to.equal(undefined);
      expect(JSON.parse(await text(response))).to.have.property('openapi');
    }
  });

  it('compresses them for clients that accept it, and sends Vary for the encoding', async () => {
    for (const path of DOCUMENTS) {
      const plain = await get(path);
      const gzip = await get(path, { 'Accept-Encoding': 'gzip' });
      const [whole, unzipped] = await Promise.all([text(plain), text(gzip.pipe(createGunzip()))]);

      expect(gzip.headers['content-encoding'], path).to.equal('gzip');
      expect(gzip.headers.vary, path).to.match(/Accept-Encoding/i);
      expect(plain.headers.vary, path).to.match(/Accept-Encoding/i);
      expect(gzip.headers.etag, path).to.equal(plain.headers.etag);
      expect(unzipped === whole, path).to.equal(true);
    }
    const contract = await get('/openapi.json', { 'Accept-Encoding': 'gzip, br' });
    contract.resume();
    expect(contract.headers['content-encoding']).to.be.oneOf(['gzip', 'br']);
  });

  it('serves the contract with its examples', async () => {
    expect(JSON.parse(await text(await get('/openapi.json')))).to.deep.equal(servedContract());
  });

  it('compresses nothing else, because other responses may hold a secret next to text of the caller', async () => {
    const all = { 'Accept-Encoding': 'zstd, br, gzip, deflate' };
    const operator = await service.admin();
    const json = { name: 'x'.repeat(200), slug: 'never-compressed' };
    const made = await operator.ask('POST', '/v2/admin/apps', { json, headers: all });
    const listed = await operator.ask('GET', '/v2/admin/audit', { headers: all });
    const page = await get('/admin/main.js', all);
    const unknown = await get('/nowhere', all);
    page.resume();
    unknown.resume();

    expect([made.status, listed.status, page.statusCode, unknown.statusCode]).to.deep.equal([200, 200, 200, 404]);
    for (const { headers } of [made, listed])
      expect([headers.get('content-encoding'), headers.get('vary')]).to.deep.equal([null, null]);
    for (const { headers } of [page, unknown])
      expect([headers['content-encoding'], headers.vary]).to.deep.equal([undefined, undefined]);
  });
});
