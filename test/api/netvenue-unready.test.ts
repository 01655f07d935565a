import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOf, effectsUnder, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('a subaccount that is still pending', () => {
  let service: TestService;
  afterEach(() => service.stop());

  it('keeps its orders waiting until it is active', async () => {
    service = await startService({ upstream: { activationMs: 900 } });
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market());

    const [made] = service.miner.ledger.entries();
    const [done] = effectsUnder(service, reply.body.order_uuid);
    expect(reply.status).to.equal(200);
    expect(Number(done?.at) - Number(made?.at)).to.be.at.least(900);
  });

  it('ends them unsent when it is not active by their deadline', async () => {
    service = await startService({ upstream: { activationMs: 60_000 }, settings: { ORDER_DEADLINE_MS: '400' } });
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market());

    expectProblem(reply, 'V1_TRADER_NOT_READY', { effect: 'none', retryable: true });
    expect(effectsOf(service, trader)).to.deep.equal([]);
  });
});

describe('a network that cannot be reached', () => {
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  before(async () => {
    service = await startService({ settings: { ORDER_DEADLINE_MS: '400', PROVISION_DEADLINE_MS: '400' } });
    trader = await service.trader();
    await service.miner.close();
  });
  after(() => service.stop());

  it('ends every order operation unsent at its deadline', async () => {
    const replies = await Promise.all([
      trader.post(ORDERS, market()),
      trader.post(`${ORDERS}/close`, { trade_pair: 'ETHUSDC' }),
      trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'SOLUSDC', stop_loss: 100 }),
    ]);

    for (const reply of replies) {
      expectProblem(reply, 'VENUE_UNREACHABLE', { effect: 'none', retryable: true });
      const intent = await trader.get(`/v1/intents/${reply.headers['intent-id']}`);
      expect(intent.body).to.include({ state: 'expired', effect: 'none', sending_at: null });
    }
  });

  it('is tried again under the same key; an order under an id of the caller keeps its end', async () => {
    const uuid = newIntentId();
    const id = orderIdOf(trader.owner, uuid);
    const keyed = () => trader.post(ORDERS, market({ trade_pair: 'ADAUSDC' }), { key: 'once' });
    const named = () => trader.post(ORDERS, market({ trade_pair: 'BNBUSDC', order_uuid: uuid }));

    const replies = [await keyed(), await keyed(), await named(), await named()];

    for (const [n, reply] of replies.entries())
      expectProblem(reply, 'VENUE_UNREACHABLE', { effect: 'none', retryable: n < 2 });
    expect(replies[1]?.headers['intent-id']).not.to.equal(replies[0]?.headers['intent-id']);
    expect(replies.slice(2).map(({ headers }) => headers['intent-id'])).to.deep.equal([id, id]);
  });

  it('ends a registration unsent at its deadline', async () => {
    const reply = await trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });

    expectProblem(reply, 'VENUE_UNREACHABLE', { effect: 'none', retryable: true });
  });

  it('uses up nothing of what the validator takes of a trader in a minute, since nothing has left', async () => {
    await trader.post(ORDERS, market({ trade_pair: 'DOTUSDC' }));

    const counted = await service.db.anyFirst(sql.type(z.object({ n: z.number() }))`
      select cardinality(p.taken) as n from paces p where cardinality(p.taken) > 0`);

    expect(counted).to.deep.equal([]);
  });

  it('prevents late execution of the later orders in a lane', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => trader.post(ORDERS, market({ trade_pair: 'XRPUSDC' }))));

    for (const reply of replies) {
      expect(reply.body.error).to.include({ effect: 'none', retryable: true });
      expect(['VENUE_UNREACHABLE', 'DEADLINE_PASSED']).to.include(reply.body.error.code);
    }
  });
});
