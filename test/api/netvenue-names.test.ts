import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('names of pairs and sizes of orders at the network', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('names the pair that has replaced one of older builds', async () => {
    const trader = await service.trader();

    const unlisted = await trader.post(ORDERS, market({ trade_pair: 'SOLUSD' }));
    const closeOnly = await trader.post(ORDERS, market({ trade_pair: 'BTCUSD' }));

    expectProblem(unlisted, 'V1_RULE_VIOLATED', { reason: 'pair.unknown', effect: 'none' });
    expect(unlisted.body.error.message).to.include('SOLUSD is SOLUSDC here.');
    expectProblem(closeOnly, 'VENUE_REJECTED', { effect: 'none' });
    expect(closeOnly.body.error.message).to.include('BTCUSD is BTCUSDC here.');
  });

  it('take null for an absent size', async () => {
    const trader = await service.trader();
    const bare = { trade_pair: 'BTCUSDC', order_type: 'LONG' };

    const [absent, isNull] = [await trader.post(ORDERS, bare), await trader.post(ORDERS, { ...bare, leverage: null })];
    const sized = await trader.post(ORDERS, { ...bare, leverage: null, value: 100 });

    expect([absent, isNull].map(({ status }) => status)).to.deep.equal([422, 422]);
    expect(isNull.body.error.message).to.equal(absent.body.error.message);
    expect(sized.status).to.equal(200);
  });
});
