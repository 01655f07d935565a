import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { effectsOf, limit, market, restingOf, SUBMIT } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const changes = (more: object, trade_pair = 'BTCUSDC') => ({ trade_pair, ...more });

describe('editNetvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' } });
  });
  after(() => service.stop());

  const resting = async (order: object = {}) => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit(order));
    return { trader, uuid: String(body.order_uuid), edit: `${ORDERS}/${body.order_uuid}/edit` };
  };
  const restingOrder = async (trader: { traderId: string }) => (await restingOf(service, trader))[0];

  it('changes the given members and keeps the rest', async () => {
    const { trader, uuid, edit } = await resting({ stop_loss: 85_000, take_profit: 120_000 });

    const reply = await trader.post(edit, changes({ limit_price: 91_000 }));

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, status: 'accepted', order_uuid: uuid });
    expect(await restingOrder(trader)).to.include({ uuid, limitPrice: 91_000, stopLoss: 85_000, takeProfit: 120_000 });
    expect(await restingOrder(trader)).to.include({ quantity: 0.01, orderType: 'LONG', executionType: 'LIMIT' });
  });

  for (const execution_type of ['LIMIT', 'LIMIT_EDIT'])
    it(`may name ${execution_type}, which changes nothing`, async () => {
      const { trader, edit } = await resting();

      const reply = await trader.post(edit, changes({ execution_type, limit_price: 91_000 }));

      expect(reply.status).to.equal(200);
      expect(await restingOrder(trader)).to.include({ limitPrice: 91_000, executionType: 'LIMIT' });
    });

  it('is rejected for another type of order, and for a type without a change', async () => {
    const { trader, edit } = await resting();

    const other = await trader.post(edit, changes({ execution_type: 'STOP_LIMIT', stop_price: 95_000 }));
    const nothing = await trader.post(edit, changes({ execution_type: 'LIMIT' }));
    const unknown = await trader.post(edit, changes({ execution_type: 'MARKET', limit_price: 91_000 }));

    expectProblem(other, 'V1_EDIT_INVALID', { effect: 'none' });
    expect(other.body.error.message).to.equal('The execution_type of an order cannot change; this one is LIMIT.');
    expectProblem(nothing, 'INVALID_REQUEST');
    expect(nothing.body.error.message).to.include('Give at least one change');
    expectProblem(unknown, 'INVALID_REQUEST');
    expect(effectsOf(service, trader)).to.deep.equal(['limit']);
  });

  it('replaces the size by one of another kind', async () => {
    const { trader, edit } = await resting({ leverage: 0.2 });

    const reply = await trader.post(edit, changes({ quantity: 0.05 }));

    expect(reply.status).to.equal(200);
    expect(await restingOrder(trader)).to.include({ quantity: 0.05, limitPrice: 90_000 });
  });

  for (const [what, order, change] of [
    ['a trailing stop', { bracket_orders: [{ stop_loss: 85_000 }] }, { trailing_stop: { trailing_value: 100 } }],
    ['entries', { trailing_stop: { trailing_value: 100 } }, { bracket_orders: [{ stop_loss: 85_000 }] }],
  ] as [string, object, object][])
    it(`replaces the exits by ${what}: the network reads one kind of them alone`, async () => {
      const { trader, uuid, edit } = await resting(order);

      const reply = await trader.post(edit, changes(change));
      const { body } = await trader.get(`${ORDERS}/${uuid}`);

      expect(reply.status).to.equal(200);
      expect(body).to.deep.include({ trailing_stop: null, bracket_orders: null, ...change });
    });

  it('merges the second of two consecutive edits with the first', async () => {
    const { trader, edit } = await resting();

    const replies = [
      await trader.post(edit, changes({ limit_price: 91_000 }), { prefer: 'wait=0' }),
      await trader.post(edit, changes({ take_profit: 130_000 })),
    ];

    expect(replies.at(-1)?.status).to.equal(200);
    expect(await restingOrder(trader)).to.include({ limitPrice: 91_000, takeProfit: 130_000, quantity: 0.01 });
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'edit', 'edit']);
  });

  it('keeps the direction and the trigger of a stop-limit', async () => {
    const stop = { execution_type: 'STOP_LIMIT', stop_price: 110_000, limit_price: 111_000 };
    const { trader, edit } = await resting(stop);

    const reply = await trader.post(edit, changes({ stop_price: 112_000, limit_price: 113_000 }));

    expect(reply.status).to.equal(200);
    expect(await restingOrder(trader)).to.include({ stopPrice: 112_000, stopCondition: 'GTE', limitPrice: 113_000 });
  });

  it('shows the edited order as still resting', async () => {
    const { trader, uuid, edit } = await resting();
    await trader.post(edit, changes({ order_type: 'SHORT', limit_price: 110_000 }));

    const { body } = await trader.get(`${ORDERS}/${uuid}`);

    expect(body).to.include({ status: 'completed', lifecycle: 'resting', order_type: 'SHORT' });
  });

  it('is rejected when the resulting order would be inconsistent', async () => {
    const { trader, edit } = await resting({ stop_loss: 85_000 });

    const reply = await trader.post(edit, changes({ limit_price: 84_000 }));

    expectProblem(reply, 'V1_EDIT_INVALID', { effect: 'none', retryable: false });
    expect(await restingOrder(trader)).to.include({ limitPrice: 90_000 });
  });

  it('is rejected for members that the network would ignore in an order of this type', async () => {
    const { trader, edit } = await resting();
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));
    const exits = { trade_pair: 'ETHUSDC', order_type: 'FLAT', execution_type: 'BRACKET', stop_loss: 1 };
    const { body } = await trader.post(ORDERS, exits);

    const stops = await trader.post(edit, changes({ stop_price: 95_000 }));
    const limits = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, changes({ limit_price: 2 }, 'ETHUSDC'));

    for (const reply of [stops, limits]) expectProblem(reply, 'V1_EDIT_INVALID', { effect: 'none' });
  });

  it('is rejected for another pair, and for an order that is no longer open', async () => {
    const { trader, uuid, edit } = await resting();
    const filled = await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));

    const otherPair = await trader.post(edit, changes({ limit_price: 4_000 }, 'ETHUSDC'));
    const over = await trader.post(`${ORDERS}/${filled.body.order_uuid}/edit`, changes({ limit_price: 1 }, 'ETHUSDC'));
    await trader.delete(`${ORDERS}/${uuid}?trade_pair=BTCUSDC`);
    const cancelled = await trader.post(edit, changes({ limit_price: 91_000 }));

    expectProblem(otherPair, 'V1_TRADE_PAIR_MISMATCH', { effect: 'none' });
    for (const reply of [over, cancelled]) expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('is rejected when the order was filled meanwhile', async () => {
    const { trader, edit } = await resting({ trade_pair: 'XRPUSDC', limit_price: 2, quantity: 100 });
    service.miner.setPrice('XRPUSDC', 1.9);

    const reply = await trader.post(edit, changes({ limit_price: 1.8 }, 'XRPUSDC'));

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('finds only orders of this trader of this partner', async () => {
    const { trader, edit } = await resting();
    const other = await service.trader();

    const unknown = await trader.post(`${ORDERS}/${newIntentId()}/edit`, changes({ limit_price: 91_000 }));
    const foreign = await other.post(edit, changes({ limit_price: 91_000 }));

    for (const reply of [unknown, foreign]) expectProblem(reply, 'V1_ORDER_UNKNOWN', { effect: 'none' });
    expect(await restingOrder(trader)).to.include({ limitPrice: 90_000 });
  });

  for (const [what, change, expected] of [
    ['of a price', { limit_price: 91_000 }, { limitPrice: 91_000 }],
    ['of a size', { leverage: 0.3 }, { quantity: 3_000 / 90_000 }],
    ['that the venue made smaller', { quantity: 5 }, { quantity: 15_000 / 90_000 }],
    [
      'of a price beside a size that the venue made smaller',
      { leverage: 9, limit_price: 91_000 },
      { limitPrice: 91_000 },
    ],
    ['of a trailing stop', { trailing_stop: { trailing_value: 100 } }, { limitPrice: 90_000 }],
    ['of entries of exits', { bracket_orders: [{ stop_loss: 80_000 }, { take_profit: 120_000 }] }, { quantity: 0.01 }],
  ] as const) {
    it(`is reconciled when the response to an edit ${what} was lost`, async () => {
      const { trader, edit } = await resting();
      service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

      const intent = await trader.poll(await trader.post(edit, changes(change), { prefer: 'wait=0' }));

      expect(intent).to.include({ kind: 'network/edit', state: 'succeeded', effect: 'done' });
      expect(await restingOrder(trader)).to.include(expected);
    });
  }

  for (const change of [
    { limit_price: 91_000 },
    { quantity: 0.02 },
    { trailing_stop: { trailing_value: 100 } },
    { bracket_orders: [{ stop_loss: 80_000 }] },
    { bracket_orders: [{ stop_loss: 80_000 }, { take_profit: 120_000 }] },
  ]) {
    it(`has no effect when it never arrived: ${Object.keys(change)}`, async () => {
      const { trader, edit } = await resting();
      service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

      const reply = await trader.post(edit, changes(change));

      expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
      expect(await restingOrder(trader)).to.include({ limitPrice: 90_000, quantity: 0.01, trailingStop: null });
    });
  }

  it('of an order that had nothing to execute is rejected at once, and so is its cancellation', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' });
    service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 2 });

    const edited = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, changes({ limit_price: 91_000 }));
    const cancelled = await trader.delete(`${ORDERS}/${body.order_uuid}?trade_pair=BTCUSDC`);

    service.miner.faults.clear();
    for (const reply of [edited, cancelled]) expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
  });

  it('has no effect when it was lost while it was not known that the order had nothing to execute', async () => {
    const trader = await service.trader();
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
    service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });
    const later = { prefer: 'wait=0' };
    const { body } = await trader.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' }, later);

    const reply = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, changes({ limit_price: 91_000 }), later);

    expect(await trader.pollIntent(reply)).to.include({ state: 'failed', effect: 'none' });
    expect(effectsOf(service, trader)).to.deep.equal([]);
    service.miner.faults.clear();
  });
});
