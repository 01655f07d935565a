import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOn } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const AT_ONCE = 20;

describe('a repeated exchange request', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  const atOnce = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, ask));
  const idsOf = (replies: { body: { order_id: string } }[]) => [...new Set(replies.map(({ body }) => body.order_id))];

  it('under one Idempotency-Key, 20 at once: one order, one response', async () => {
    const trader = await service.wallet();
    const key = randomUUID();

    const replies = await atOnce(() => trader.post(ORDERS, market, { key }));
    const later = await trader.post(ORDERS, market, { key });

    expect(idsOf([...replies, later])).to.have.length(1);
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).to.have.length(AT_ONCE - 1);
    expect(later.headers).to.include({ 'idempotent-replayed': 'true' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });

  it('under one client_order_id, 20 at once: one order, with one id at the exchange', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();

    const replies = await atOnce(() => trader.post(ORDERS, { ...market, client_order_id }));

    expect(idsOf(replies)).to.deep.equal([client_order_id]);
    expect(effectsOn(service, trader, 'placed').map(({ key }) => key)).to.deep.equal([
      cloidOf(orderIdOf(trader.owner, client_order_id)),
    ]);
  });

  it('to close, 20 at once: closed once', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    const key = randomUUID();

    const replies = await atOnce(() => trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { key }));

    expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 200));
    expect(idsOf(replies)).to.have.length(1);
    expect(effectsOn(service, trader, 'placed')).to.have.length(2);
  });

  for (const [what, code] of [
    ['has been revoked', 'V1_NOT_ENROLLED'],
    ['is rejected', 'V1_KEY_REJECTED'],
  ] as const)
    it(`of a wallet whose key ${what} since gets the result of the first; another one is ${code}`, async () => {
      const trader = await service.wallet();
      const [key, client_order_id] = [randomUUID(), randomUUID()];
      const first = [
        await trader.post(ORDERS, market, { key }),
        await trader.post(ORDERS, { ...market, client_order_id }),
      ];
      if (code === 'V1_NOT_ENROLLED') await trader.delete(`/v1/sessions/${trader.wallet}`);
      else
        await service.db.query(sql.unsafe`
          update signing_keys set rejected_at = now() where ex_wallet = ${trader.wallet}`);

      const again = [
        await trader.post(ORDERS, market, { key }),
        await trader.post(ORDERS, { ...market, client_order_id }),
      ];

      expect(
        again.map(({ status }) => status),
        JSON.stringify(again[0]?.body),
      ).to.deep.equal([200, 200]);
      expect(again.map(({ body }) => body.order_id)).to.deep.equal(first.map(({ body }) => body.order_id));
      expectProblem(await trader.post(ORDERS, market), code, { effect: 'none' });
      expectProblem(await trader.post(ORDERS, market, { key: randomUUID() }), code, { effect: 'none' });
      expect(effectsOn(service, trader, 'placed')).to.have.length(2);
    });

  it('with other terms is rejected and places nothing', async () => {
    const trader = await service.wallet();
    const key = randomUUID();
    const client_order_id = randomUUID();
    await trader.post(ORDERS, { ...market, client_order_id }, { key });

    const reused = await trader.post(ORDERS, { ...market, client_order_id, size: '0.02' }, { key });
    const sameId = await trader.post(ORDERS, { ...market, client_order_id, size: '0.02' });

    expectProblem(reused, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
    expectProblem(sameId, 'V1_ORDER_UUID_REUSED');
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });
});
