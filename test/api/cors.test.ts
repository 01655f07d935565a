import { expect } from 'chai';
import { sql } from 'slonik';
import { startTrading, type TestTrader, TRADING, type Trading } from '../support/trading.ts';

const OURS = 'https://desk.example';
const THEIRS = 'https://other.example';

/* What browsers demand before a page may read a response: the Fetch standard, section 3.2 (CORS protocol). */
describe('pages of other origins', () => {
  let service: Trading;
  let trader: TestTrader;
  let key: string;
  before(async () => {
    service = await startTrading();
    trader = await service.propTrader();
    key = (await trader.key()).api_key;
    const other = await service.app();
    for (const [app, origin] of [
      [service.tenant.appId, OURS],
      [other.appId, THEIRS],
    ] as const)
      await service.db.query(sql.unsafe`
        update apps set allowed_origins = ${sql.array([origin], 'text')} where id = ${app}`);
  });
  after(() => service.stop());

  const preflight = (path: string, origin: string) =>
    fetch(service.url + path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,idempotency-key,x-api-key',
      },
    });
  const read = (origin: string, headers: Record<string, string> = { 'X-Api-Key': key }) =>
    fetch(`${service.url}${TRADING}/balance`, { headers: { Origin: origin, ...headers } });
  const allowed = (response: Response) => response.headers.get('access-control-allow-origin');

  it('that the app allows pass the preflight, with the members a client sends', async () => {
    const response = await preflight(`${TRADING}/orders`, OURS);

    expect(response.status).to.equal(204);
    expect(allowed(response)).to.equal(OURS);
    expect(response.headers.get('access-control-allow-methods')).to.match(/\bPOST\b/);
    const headers = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    expect(headers).to.include.members(['content-type', 'idempotency-key', 'x-api-key', 'last-event-id']);
    expect(response.headers.get('access-control-allow-credentials')).to.equal(null);
    expect(response.headers.get('vary')).to.match(/Origin/);
  });

  it('that no app allows pass no preflight, nor does any origin outside /v2/trading', async () => {
    const responses = [
      await preflight(`${TRADING}/orders`, 'https://evil.example'),
      await preflight(`${TRADING}/orders`, 'null'),
      await preflight('/v2/oauth/token', OURS),
      await preflight('/v1/orders/netvenue', OURS),
    ];

    expect(responses.map(allowed)).to.deep.equal([null, null, null, null]);
  });

  it('read responses with a key of their own app only', async () => {
    const ours = await read(OURS);
    const theirs = await read(THEIRS);
    const wrong = await read(OURS, { 'X-Api-Key': 'wrong' });
    const asApp = await read(OURS, {
      Authorization: `Bearer ${service.tenant.token}`,
      'X-Prop-Account': trader.account.id,
    });

    expect([ours, theirs, wrong, asApp].map(({ status }) => status)).to.deep.equal([200, 200, 401, 200]);
    expect([ours, theirs, wrong, asApp].map(allowed)).to.deep.equal([OURS, null, OURS, null]);
    expect(ours.headers.get('access-control-expose-headers')).to.include('Intent-Id');
  });

  it('open the stream', async () => {
    const ended = new AbortController();
    const response = await fetch(`${service.url}${TRADING}/stream`, {
      headers: { Origin: OURS, 'X-Api-Key': key },
      signal: ended.signal,
    });
    ended.abort();

    expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
    expect(allowed(response)).to.equal(OURS);
  });
});
