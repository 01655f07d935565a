import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { close } from '../../src/venues/network/orders/close.ts';
import type { Reply } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { effectsOf, limit, market, positionsOf, restingOf, SUBMIT, venueOf } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const CLOSE = `${ORDERS}/close`;
const span = z.object({ kind: z.string(), sent: z.string().nullable(), settled: z.string().nullable() });
const idOf = ({ headers }: Reply) => String(headers['intent-id']);
const quick = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' };

describe('closeNetvenuePosition', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: quick });
  });
  after(() => service.stop());

  it('closes the position of the pair and leaves the others unchanged', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, status: 'accepted' });
    expect(reply.body.executed).to.include({ quantity: -0.01, price: 100_000 });
    expect((await positionsOf(service, trader)).map(({ tradePair }) => tradePair)).to.deep.equal(['ETHUSDC']);
  });

  it('is sent as FLAT_ALL of the open position, by its uuid', async () => {
    const trader = await service.trader();
    const opened = await trader.post(ORDERS, market());
    await trader.post(ORDERS, market());

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    const closeEffects = service.miner.ledger.entries().filter(({ kind }) => kind === 'flat_all');
    expect(closeEffects.at(-1)).to.include({ key: `${opened.body.order_uuid}-flat-all` });
    expect(reply.body.executed).to.include({ quantity: -0.02 });
  });

  it('is 409 when nothing is open, whatever was open before', async () => {
    const [fresh, resting, flat] = await Promise.all([service.trader(), service.trader(), service.trader()]);
    await resting.post(ORDERS, limit());
    await flat.post(ORDERS, market());
    await flat.post(CLOSE, { trade_pair: 'BTCUSDC' });

    const replies = await Promise.all([fresh, resting, flat].map((one) => one.post(CLOSE, { trade_pair: 'BTCUSDC' })));

    for (const reply of replies) expectProblem(reply, 'V1_NO_POSITION', { effect: 'none', retryable: false });
    expect(effectsOf(service, fresh)).to.deep.equal([]);
  });

  it('closes what earlier orders in its lane have opened', async () => {
    const trader = await service.trader();
    const opening = trader.post(ORDERS, market(), { prefer: 'wait=0' });
    await opening;

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    expect(reply.status).to.equal(200);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'flat_all']);
  });

  it('waits while the venue cannot report what is open', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    service.miner.faults.add({ kind: 'status_500', route: '/validator/', times: 1 });

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    expect(reply.status).to.equal(200);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('does not wait for the list of orders: what may rest in other pairs stays untouched', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    service.miner.faults.add({ kind: 'status_500', route: '/validator/orders/', times: 1_000 });

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });
    service.miner.faults.clear();

    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'market']);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('is reconciled when its response was lost', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' }, { prefer: 'wait=0' });
    const order = await trader.poll(reply);

    expect(order).to.include({ status: 'completed', execution_type: 'FLAT_ALL' });
    expect(order.executed).to.include({ quantity: -0.01 });
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'flat_all']);
  });

  it('does not rely on the acceptance by the venue while the position is still open', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    service.miner.faults.add({ kind: 'html_200', route: SUBMIT, times: 1 });

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
    expect(await positionsOf(service, trader)).to.have.length(1);
  });

  describe('beside another pair of the account', () => {
    const closing = { trade_pair: 'BTCUSDC' };
    const protecting = { trade_pair: 'ETHUSDC', stop_loss: 3_000 };
    const holder = async () => {
      const trader = await service.trader();
      await trader.post(ORDERS, market({ stop_loss: 90_000 }));
      await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));
      return trader;
    };
    const hangOnce = () => service.miner.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    const isSent = (reply: Reply) =>
      eventually(() =>
        service.db.exists(sql.type(z.object({}))`
          select from intents where id = ${idOf(reply)} and sending_at is not null`),
      );

    for (const [what, path, body] of [
      ['a tp-sl', `${ORDERS}/tp-sl`, protecting],
      ['an order with exits', ORDERS, market(protecting)],
    ] as const)
      it(`lets ${what} wait while FLAT_ALL may still be carried out`, async () => {
        const trader = await holder();
        hangOnce();
        const closed = await trader.post(CLOSE, closing, { prefer: 'wait=0' });
        await isSent(closed);

        const reply = await trader.post(path, body);

        const spans = await service.db.any(sql.type(span)`
          select i.kind, i.sending_at::text as sent, i.settled_at::text as settled
          from intents i
          where i.id in (${idOf(closed)}, ${idOf(reply)})
          order by i.position`);
        expect(reply.status).to.equal(200);
        expect(spans[0]?.kind).to.equal('network/close');
        expect(Date.parse(String(spans[1]?.sent))).to.be.at.least(Date.parse(String(spans[0]?.settled)));
        expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.include(3_000);
      });

    it('goes as MARKET FLAT while exits of the other pair are under way', async () => {
      const trader = await holder();
      hangOnce();
      await isSent(await trader.post(`${ORDERS}/tp-sl`, protecting, { prefer: 'wait=0' }));

      const reply = await trader.post(CLOSE, closing);

      expect(reply.status).to.equal(200);
      expect(effectsOf(service, trader)).not.to.include('flat_all');
      expect((await positionsOf(service, trader)).map(({ tradePair }) => tradePair)).to.deep.equal(['ETHUSDC']);
    });

    it('does not send the FLAT_ALL that such an order has overtaken', async () => {
      const trader = `${ENTITY}_${(await holder()).traderId}`;
      await service.db.query(sql.type(z.object({}))`
        insert into intents (id, kind, owner, lane, request, digest, deadline_at)
        values (${newIntentId()}, 'network/protect', 'nobody', 'another', ${sql.jsonb({ trader })}, '', now() + interval '1 hour')`);
      const signal = { execution_type: 'FLAT_ALL' as const, order_uuid: newIntentId(), subaccount_id: 1 };
      const sent = {
        intent: { request: { trader }, lane: 'its own' } as never,
        payload: { signal, position_uuid: '', since_ms: 0 },
      };
      const deps = { db: service.db, venues: { ofTrader: async () => venueOf(service) } } as never; // as: sending uses nothing else
      const sends = service.miner.ledger.entries().length;

      const result = await close.send(sent, deps, {
        notAfter: Date.now() + 5_000,
        signal: new AbortController().signal,
      });

      expect(result).to.include({ kind: 'unreachable' }); // and is prepared again
      expect(service.miner.ledger.entries()).to.have.length(sends);
    });
  });

  it('rejects any other trader’s id', async () => {
    const [trader, other] = await Promise.all([service.trader(), service.trader()]);

    const headers = { 'Trader-ID': trader.traderId };
    const foreign = await other.post(CLOSE, { trade_pair: 'BTCUSDC' }, { headers });
    const unknown = await other.post(CLOSE, { trade_pair: 'BTCUSDC' }, { headers: { 'Trader-ID': '999999999' } });

    for (const reply of [foreign, unknown]) expectProblem(reply, 'V1_TRADER_UNKNOWN', { effect: 'none' });
  });
});

describe('closeNetvenuePosition with the setting for old miners', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { ...quick, NETVENUE_CLOSE_STYLE: 'market_flat' } });
  });
  after(() => service.stop());

  it('is sent as a market order FLAT and removes the protection', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));

    const reply = await trader.post(CLOSE, { trade_pair: 'BTCUSDC' });

    expect(reply.status).to.equal(200);
    expect(reply.body.executed).to.include({ quantity: -0.01 });
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'bracket', 'market', 'market']);
    expect(await restingOf(service, trader)).to.deep.equal([]);
    expect(await positionsOf(service, trader)).to.have.length(1);
  });
});
