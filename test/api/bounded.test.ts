import { expect } from 'chai';
import { sql } from 'slonik';
import { limits } from '../../src/kernel/throttles.ts';
import type { Data } from '../support/identity.ts';
import { readStream } from '../support/stream.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

const STREAMS = 3;
const expectThrottled = ({ status, body, headers }: Data) => {
  expect([status, body.error.code]).to.deep.equal([429, 'V2_THROTTLED']);
  expect(Number(headers.get('retry-after'))).to.be.above(60);
};

const SIGNATURES = 20; // an hour, per user

describe('what one tenant may take', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { STREAMS_PER_APP: String(STREAMS), THROTTLE_SCALE: '1' } });
  });
  after(() => service.stop());

  it('is a limited number of open streams over all its accounts; another app still opens one', async () => {
    const traders = [await service.propTrader(), await service.propTrader()];
    const keys = await Promise.all(traders.map(({ key }) => key()));
    const open = (n: number) =>
      readStream(`${service.url}${TRADING}/stream`, { 'X-Api-Key': String(keys[n % keys.length]?.api_key) });
    const readers = [await open(0), await open(1), await open(0)];

    const over = await keys[1]?.ask('GET', `${TRADING}/stream`);
    readers.pop()?.drop();
    const other = await service.app(['*']);
    const unrelated = await other.ask('GET', '/v2/oauth/me');

    expect([over?.status, over?.body.error.code]).to.deep.equal([429, 'V2_STREAM_LIMIT']);
    expect(unrelated.status).to.equal(200);
    for (const reader of readers) reader.drop();
  });

  it('is a limited number of signatures of each user', async () => {
    const user = await service.user(service.tenant);
    const sign = () =>
      user.ask('POST', '/v2/agreements/sign', { json: { agreement_version: '1', signature_name: 'Ada' } });

    for (let n = 0; n < SIGNATURES; n++) expect((await sign()).status).to.equal(200);
    const over = await sign();

    expectThrottled(over);
  });

  it('is a limited number of trader keys that a user creates, revoked ones too', async () => {
    const trader = await service.propTrader();
    const create = () => trader.ask('POST', '/v2/api-keys', { json: { label: 'bot' } });

    for (let n = 0; n < limits.api_keys.budget; n++) {
      const { status, body } = await create();
      expect([status, (await trader.ask('DELETE', `/v2/api-keys/${body.id}`)).status]).to.deep.equal([200, 200]);
    }

    expectThrottled(await create());
  });

  it('is a limited number of webhook endpoints that it registers, deactivated ones too; a repeat is no other one', async () => {
    const [app, other] = [await service.app(['*']), await service.app(['*'])];
    const json = { url: 'https://example.com/hooks', events: ['*'] };
    const create = (by: typeof app, headers = {}) => by.ask('POST', '/v2/webhook-endpoints', { json, headers });
    const first = await create(app, { 'Idempotency-Key': 'first' });
    await service.db.query(sql.unsafe`
      update throttles set spent = ${limits.webhook_endpoints.budget} where name = 'webhook_endpoints'`);

    const [over, again, another] = [
      await create(app),
      await create(app, { 'Idempotency-Key': 'first' }),
      await create(other),
    ];

    expect([first.status, again.status, another.status]).to.deep.equal([200, 200, 200]);
    expect(again.body.id).to.equal(first.body.id);
    expectThrottled(over);
  });
});
