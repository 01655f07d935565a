import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { paceOf } from '../../src/capacity/network.ts';
import { type Hotkey, hotkeyOf } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

const PER_MINUTE = 10;

describe('a validator that takes ten signals of a trader in a minute', function () {
  this.timeout(90_000);
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { signalsPerMin: PER_MINUTE, cooldownMs: 0 },
      settings: { NETVENUE_SIGNALS_PER_MIN: String(PER_MINUTE) },
    });
  });
  after(() => service.stop());

  it('gets no more: entries beyond seven are rejected before anything is written, exits pass, and so do other traders', async () => {
    const [busy, other] = [await service.trader(), await service.trader()];
    const placed = [];
    for (let n = 0; n < 9; n++) placed.push(await busy.post(ORDERS, market()));

    expect(placed.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200, 200, 429, 429]);
    const [, , , , , , , over] = placed;
    expectProblem(over as Reply, 'RATE_LIMITED', { effect: 'none' });
    expect(Number(over?.headers['retry-after'])).to.be.within(40, 62);
    const startedAt = Date.now();
    const closed = await busy.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
    expect((await other.post(ORDERS, market())).status).to.equal(200);
    expect(Date.now() - startedAt).to.be.below(3_000);
    expect(service.miner.rateLimited()).to.equal(0);
  });

  it('gets no edit beyond them either: it is rejected before anything is written, so no exit of its pair waits behind it', async () => {
    const trader = await service.trader();
    const placed = await trader.post(ORDERS, limit());
    for (let n = 0; n < 6; n++) expect((await trader.post(ORDERS, market())).status).to.equal(200);
    const path = `${ORDERS}/${placed.body.order_uuid}`;

    const edited = await trader.post(
      `${path}/edit`,
      { trade_pair: 'BTCUSDC', limit_price: 91_000 },
      { prefer: 'wait=0' },
    );
    const startedAt = Date.now();
    const cancelled = await trader.delete(`${path}?trade_pair=BTCUSDC`);

    expectProblem(edited, 'RATE_LIMITED', { effect: 'none' });
    expect(Number(edited.headers['retry-after'])).to.be.within(40, 62);
    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
    expect(Date.now() - startedAt).to.be.below(3_000);
  });
});

describe('an exit that waits for the minute of its trader', function () {
  this.timeout(60_000);
  const LATER_S = 13;
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { signalsPerMin: PER_MINUTE, cooldownMs: 0 } });
  });
  after(() => service.stop());

  it('says so in its reply, in its order and in its intent, with the time from which it is sent, and is sent then', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    const pace = paceOf(hotkeyOf(ENTITY as Hotkey, Number(trader.traderId)), service.runtime.config);
    await service.db.query(sql.type(z.object({}))`select spend_pace(${pace.name}, ${pace.perMinute})::text`);
    await service.db.query(sql.type(z.object({}))`
      update paces
      set taken = array(select at - pace_window() + make_interval(secs => ${LATER_S}) from unnest(taken) as at)
      where name = ${pace.name}`);

    const closing = (prefer: string) =>
      trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, { prefer, key: 'one-close' });
    const id = String((await closing('wait=0')).headers['intent-id']);
    await until('it waits', async () => (await trader.get(`/v1/intents/${id}`)).body.waits_for?.reason === 'pace');
    const close = await closing('wait=1');
    const leftS = (Date.parse(close.body.waits_for.until) - Date.now()) / 1_000;
    const [order, intent] = [await trader.get(`${ORDERS}/${id}`), await trader.get(`/v1/intents/${id}`)];

    expect(close.status, JSON.stringify(close.body)).to.equal(202);
    for (const { waits_for } of [close.body, order.body, intent.body]) {
      expect(waits_for).to.include({ reason: 'pace', intent_id: null });
      expect(Date.parse(waits_for.until) - Date.now()).to.be.within(0, LATER_S * 1_000);
    }
    expect(Number(close.headers['retry-after'])).to.be.within(leftS, leftS + 3);
    const { status, waits_for } = await trader.poll(close, LATER_S * 2_000);
    expect([status, waits_for]).to.deep.equal(['completed', undefined]);
  });

  it('says behind which write of its own it waits', async () => {
    const trader = await service.trader();
    service.miner.faults.add({ kind: 'late', route: 'POST /miner/api/submit-order', delayMs: 3_000, times: 1 });
    const first = await trader.post(ORDERS, market(), { prefer: 'wait=0' });

    const close = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, { prefer: 'wait=1' });

    expect(first.body).to.not.have.property('waits_for');
    expect(close.body.waits_for).to.deep.include({ reason: 'lane', intent_id: first.body.order_uuid, until: null });
    expect(close.headers['retry-after']).to.equal('1');
    expect((await trader.poll(close)).status).to.equal('completed');
  });
});

describe('a validator that takes less than the setting says', function () {
  this.timeout(90_000);
  const TAKEN = 2;
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { signalsPerMin: TAKEN, cooldownMs: 0 },
      settings: { NETVENUE_SIGNALS_PER_MIN: '10', NETVENUE_PATIENCE_MS: '13000' },
    });
  });
  after(() => service.stop());

  it('is asked three times by the miner, and each of them counts', async () => {
    const trader = await service.trader();
    for (let n = 0; n < TAKEN; n++) expect((await trader.post(ORDERS, market())).status).to.equal(200);
    await trader.post(ORDERS, market());

    const taken = await service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select max(cardinality(p.taken)) as count from paces p`);
    expect(taken).to.equal(TAKEN + 3);
  });
});
