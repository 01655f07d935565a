import { expect } from 'chai';
import { readStream } from '../support/stream.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

const STREAMS = 3;
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

    expect([over.status, over.body.error.code]).to.deep.equal([429, 'V2_THROTTLED']);
    expect(Number(over.headers.get('retry-after'))).to.be.above(60);
  });
});
