import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { readWallets, restDirectly } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

describe('the exchange as it is shown', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('a trigger that may open a position is no protection of the present one', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    const trigger = { price: '90000', kind: 'sl', isMarket: true } as const;
    await restDirectly(service, trader, [{ side: 'sell', price: '80000', trigger, timeInForce: undefined } as object]);

    const [listed] = (await trader.get(ORDERS)).body;
    const [position] = (await trader.get('/v1/positions/exvenue')).body;

    expect(listed).to.include({ stop_loss: null, take_profit: null, side: 'short' });
    expect(position).to.include({ stop_loss: null, take_profit: null });
  });

  it('exits of an order that was filled at once are reported with their numbers once these are known', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();
    await trader.post(ORDERS, { ...MARKET, client_order_id, take_profit: 120_000, stop_loss: 80_000 });

    await readWallets(service);

    const [filled] = (await trader.get('/v1/history/orders')).body;
    const exits = (await trader.get(ORDERS)).body;
    expect(filled).to.include({ client_order_id, trigger_status: 'placed', trigger_error: null });
    expect([filled.tp_order_id, filled.sl_order_id]).to.have.members(
      exits.map(({ ex_order_id }: { ex_order_id: string }) => ex_order_id),
    );
  });

  it('a client order id counts as a UUID, whatever its case', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();

    const first = await trader.post(ORDERS, { ...MARKET, client_order_id });
    const again = await trader.post(ORDERS, { ...MARKET, client_order_id: client_order_id.toUpperCase() });

    expect(again.status, JSON.stringify(again.body)).to.equal(200);
    expect(again.body).to.deep.equal(first.body);
  });

  for (const pair of ['PURR/USDC', 'HYPE/USDC', 'PURR/USDC-USDC', '@107']) {
    it(`${pair} is a spot pair and is not traded as a perpetual`, async () => {
      const trader = await service.wallet();

      for (const [path, body] of [
        [ORDERS, { ...MARKET, pair, size: 100 }],
        [`${ORDERS}/close`, { pair }],
        [`${ORDERS}/tp-sl`, { pair, stop_loss: 1 }],
      ] as const) {
        expectProblem(await trader.post(path, body), 'V1_PAIR_UNKNOWN');
      }
      expect(service.exchange.ledger.entries().filter(({ detail }) => detail.account === trader.wallet)).to.deep.equal(
        [],
      );
    });
  }

  for (const orderId of ['9007199254740993', '0', '007']) {
    it(`order id ${orderId} is rejected: as a number it would name another order`, async () => {
      const trader = await service.wallet();

      expectProblem(await trader.delete(`${ORDERS}/${orderId}`), 'INVALID_REQUEST');
    });
  }

  it('a time in force on a market order is rejected', async () => {
    const trader = await service.wallet();

    expectProblem(await trader.post(ORDERS, { ...MARKET, time_in_force: 'alo' }), 'INVALID_REQUEST');
    const limit = { ...MARKET, order_type: 'limit', price: 90_000 };
    expect((await trader.post(ORDERS, limit)).body.status).to.equal('open');
  });

  it('a purchase for an amount in USD never costs more, at the worst price it accepts', async () => {
    const trader = await service.wallet();

    const reply = await trader.post(ORDERS, { ...MARKET, size: 1_000, size_in_usd: true, max_slippage: 0.1 });

    const [placed] = service.exchange.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'placed' && detail.account === trader.wallet);
    expect(reply.body.status, JSON.stringify(reply.body)).to.equal('filled');
    expect(Number(placed?.detail.originalSize) * Number(placed?.detail.price)).to.be.within(990, 1_000);
  });

  for (const [mode, violated] of [
    ['disabled', ['balance.insufficient']],
    ['unifiedAccount', []],
  ] as const) {
    it(`the free spot balance of an account whose abstraction is ${mode}: ${violated.join() || 'it counts'}`, async () => {
      const trader = await service.wallet();
      service.exchange.fund(trader.wallet, '-100000');
      service.exchange.setMode(trader.wallet, mode);
      const spot = JSON.stringify({ address: trader.wallet, usd: '50000', dex: 'spot' });
      await fetch(`${service.exchange.controlUrl}/fund`, { method: 'POST', body: spot });

      const { body } = await trader.post('/v1/rules/validate', { ...MARKET, size: 1_000, size_in_usd: true });

      expect(body.violations.map(({ rule }: { rule: string }) => rule)).to.deep.equal(violated);
    });
  }

  it('an order that came through the service keeps its id where the exchange reports none', async () => {
    const trader = await service.wallet();
    const placed = await trader.post(ORDERS, { ...MARKET, order_type: 'limit', price: 90_000 });
    const [oid] = await restDirectly(service, trader, [{}]);
    const number = JSON.stringify({ ex_order_id: String(oid) });
    await service.db.query(sql.unsafe`
      update orders set executed = executed || ${number}::jsonb where id = ${placed.body.order_id}`);

    const listed = (await trader.get(ORDERS)).body;

    const order = listed.find(({ ex_order_id }: { ex_order_id: string }) => ex_order_id === String(oid));
    expect(order).to.include({ client_order_id: placed.body.order_id, order_id: placed.body.order_id });
  });
});
