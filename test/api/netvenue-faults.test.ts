import { expect } from 'chai';
import { sql } from 'slonik';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { effectsOf, effectsUnder, limit, market, SUBMIT, venueOf } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const quick = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' };

describe('a network order without a conclusive response', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: quick });
  });
  after(() => service.stop());

  const scriptFault = (kind: FaultKind) => service.miner.faults.add({ kind, route: SUBMIT, times: 1, delayMs: 600 });

  for (const kind of ['accept_then_drop', 'cut_json', 'late'] as const) {
    it(`is reconciled and completed once when it was executed: ${kind}`, async () => {
      const trader = await service.trader();
      scriptFault(kind);

      const reply = await trader.post(ORDERS, market(), { prefer: 'wait=0' });
      const order = await trader.poll(reply);
      const intent = await trader.get(`/v1/intents/${order.order_uuid}`);

      expect(reply.status).to.equal(202);
      expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
      expect(order.executed).to.include({ leverage: 0.1 });
      expect(intent.body).to.include({ state: 'succeeded', effect: 'done' });
      expect(effectsUnder(service, order.order_uuid)).to.have.length(1);
    });
  }

  for (const kind of ['reset', 'status_500', 'html_200', 'hang'] as const) {
    it(`ends without effect when the venue never acted: ${kind}`, async () => {
      const trader = await service.trader();
      scriptFault(kind);

      const reply = await trader.post(ORDERS, market());

      expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
      expect(effectsOf(service, trader)).to.deep.equal([]);
    });
  }

  for (const [what, leverage] of [
    ['drops the connection', 0.0502],
    ['responds "Failed to connect"', 0.0503],
  ] as const) {
    it(`is completed when the miner ${what} although it was executed`, async () => {
      const trader = await service.trader();

      const reply = await trader.post(ORDERS, market({ leverage }));

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ success: true, status: 'accepted' });
      expect(reply.body.executed).to.include({ leverage });
      expect(effectsOf(service, trader)).to.deep.equal(['market']);
    });
  }

  it('is completed when the miner reports a duplicate: its first sending arrived', async () => {
    const trader = await service.trader();
    const order_uuid = newIntentId();
    const order = market({ trade_pair: 'BTCUSDC', leverage: 0.2 });
    const sentId = orderIdOf(trader.owner, order_uuid);
    const asSent = {
      ...order,
      order_uuid: sentId,
      subaccount_id: Number(trader.traderId),
      execution_type: 'MARKET',
    } as const;
    await venueOf(service).submit(asSent as Parameters<ReturnType<typeof venueOf>['submit']>[0]);

    const reply = await trader.post(ORDERS, { ...order, order_uuid });

    expect(reply.status).to.equal(200);
    expect(reply.body.executed).to.include({ leverage: 0.2 });
    expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
  });

  it('does not hold up the next order of its lane', async () => {
    const trader = await service.trader();
    scriptFault('hang');
    const hanging = await trader.post(ORDERS, market(), { prefer: 'respond-async' });

    const reply = await trader.post(ORDERS, market({ leverage: 0.3 }));

    expect(reply.status).to.equal(200);
    expect(reply.body.executed).to.include({ leverage: 0.3 });
    expect(await trader.poll(hanging)).to.include({ status: 'failed' });
  });

  it('stays unknown while no record of the venue can be read', async () => {
    const trader = await service.trader();
    scriptFault('accept_then_drop');
    service.miner.faults.add({ kind: 'status_500', route: '/miner/api/order-status' });
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' });

    const reply = await trader.post(ORDERS, market(), { prefer: 'wait=1' });
    const unknown = await trader.get(String(reply.headers.location));
    const intent = await trader.get(`/v1/intents/${reply.headers['intent-id']}`);
    service.miner.faults.clear();
    const order = await trader.poll(reply);

    expect(reply.status).to.equal(202);
    expect(unknown.body).to.include({ status: 'unknown', lifecycle: null });
    expect(intent.body).to.deep.include({ state: 'in_doubt', effect: 'unknown', result: null, problem: null });
    expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(effectsOf(service, trader)).to.deep.equal(['market']);
  });
});

describe('a network order whose worker is killed after marking it as sending', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: quick });
  });
  after(() => service.stop());

  it('is carried out once, within its deadline, when its request never left', async () => {
    const trader = await service.trader();
    await service.stopWorkers();
    const terms = market({ trade_pair: 'BTCUSDC', leverage: 0.2 });
    const order_uuid = newIntentId();
    const reply = await trader.post(ORDERS, { ...terms, order_uuid }, { prefer: 'respond-async' });
    const id = orderIdOf(trader.owner, order_uuid);
    const signal = { ...terms, order_uuid: id, subaccount_id: Number(trader.traderId), execution_type: 'MARKET' };
    await service.db.query(sql.unsafe`
      select begin_sending(${id}, (select fence from claim_intent(${id})), ${JSON.stringify({ signal })}::jsonb)`);
    await service.startWorker();

    const order = await trader.poll(reply);

    expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(order.executed).to.include({ leverage: 0.2 });
    expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
  });
});

describe('a network order that is long in flight', () => {
  let service: TestService;
  before(async () => {
    const settings = { NETVENUE_PATIENCE_MS: '200', NETVENUE_IN_FLIGHT_MS: '4000' };
    service = await startService({ settings, upstream: { processingMs: 1_500 } });
  });
  after(() => service.stop());

  it('is not considered lost although the miner does not know it yet', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market(), { prefer: 'wait=1' });
    const meanwhile = await venueOf(service).orderStatus(reply.body.order_uuid);
    const shown = await trader.get(`/v1/intents/${reply.body.order_uuid}`);
    const order = await trader.poll(reply);

    expect(meanwhile.kind).to.equal('absent');
    expect(shown.body).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(effectsOf(service, trader)).to.deep.equal(['market']);
  });

  it('keeps its slot when records end it before its request does, until that has ended', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit(), { prefer: 'wait=0' });
    await trader.poll(placed);
    const slots = () =>
      service.db.any(
        sql.unsafe`select slot from upstream_slots where intent_id = ${String(reply.headers['intent-id'])}`,
      );

    const reply = await trader.delete(`${ORDERS}/${placed.body.order_uuid}?trade_pair=BTCUSDC`, { prefer: 'wait=0' });
    await until('sent', async () => (await slots()).length === 1);
    service.miner.setPrice('BTCUSDC', 89_000);
    const intent = await trader.poll({ ...reply, headers: { location: `/v1/intents/${reply.headers['intent-id']}` } });

    expect(intent).to.deep.include({ state: 'failed', effect: 'none' });
    expect(await slots()).to.have.length(1);
    await until('its request has ended', async () => (await slots()).length === 0);
  });
});
