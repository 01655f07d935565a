import { expect } from 'chai';
import { connect } from '../../src/client/index.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const NETWORK = '/v1/orders/netvenue';

describe('an order within the cooldown', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { cooldownMs: 2_500 } });
  });
  after(() => service.stop());

  it('is placed by the client after the pause, under its key', async () => {
    const { key, traderId } = await service.trader();
    const client = connect({ baseUrl: service.url, credentials: { partnerKey: key } });
    const params = { header: { 'Trader-ID': traderId } };
    const body = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 } as const;
    await client.settled(client.api.POST(NETWORK, { params, body }));

    const placed = await client.settled(client.api.POST(NETWORK, { params, body }));
    const impatient = connect({ baseUrl: service.url, credentials: { partnerKey: key }, longestWaitMs: 0 });
    const error = await impatient.settled(impatient.api.POST(NETWORK, { params, body })).catch((thrown) => thrown);

    expect(placed).to.include({ success: true, status: 'accepted' });
    expect(error).to.include({ code: 'VENUE_COOLDOWN', retryable: true, effect: 'none' });
    expect(error.retryAfterMs).to.be.within(1_000, 3_000);
  });

  it('under an id of the caller keeps its first end, also under a key', async () => {
    const trader = await service.trader();
    await trader.post(NETWORK, market());
    const named = market({ order_uuid: '0190b4ad-ac96-774b-bcce-b302099a8057' });

    const replies = [
      await trader.post(NETWORK, named, { key: 'named' }),
      await trader.post(NETWORK, named, { key: 'named' }),
    ];

    for (const reply of replies) expectProblem(reply, 'VENUE_COOLDOWN', { retryable: false, effect: 'none' });
  });
});
