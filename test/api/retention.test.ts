import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { fill } from '../support/fill.ts';
import { effectsUnder, limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const KEPT_DAYS = '8';
const TRADERS = 4;
const ORDERS_EACH = 15;

describe('retention', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { RETAIN_INTENTS_DAYS: KEPT_DAYS, RETAIN_ORDERS_DAYS: KEPT_DAYS } });
  });
  after(() => service.stop());

  const prune = () => service.runTask('housekeeping/prune');
  const ageKey = (key: string, age: string) =>
    service.db.query(
      sql.unsafe`update idempotency_keys set created_at = now() - ${age}::text::interval where key = ${key}`,
    );
  const ageIntent = (id: string, age: string) =>
    service.db.query(sql.unsafe`update intents set settled_at = now() - ${age}::text::interval where id = ${id}`);
  const ageOrder = async (id: string, age: string) => {
    await ageIntent(id, age);
    await service.db.query(sql.unsafe`update orders set ended_at = now() - ${age}::text::interval where id = ${id}`);
  };
  const count = (what: 'old' | 'young') =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)
      from intents i
      left join orders o on o.id = i.id
      where i.owner = 'ptn_filled'
        and (i.settled_at < now() - interval '8 days') = ${what === 'old'}
        and (i.kind = 'network/cancel' or o.id is not null)`);

  it('returns the first response for an Idempotency-Key for 7 days, whatever else has been pruned', async () => {
    const trader = await service.trader();
    const first = await trader.post(ORDERS, market(), { key: 'week' });
    await ageIntent(first.body.order_uuid, '100 days');
    await ageKey('week', '6 days 23 hours');

    await prune();
    const within = await trader.post(ORDERS, market(), { key: 'week' });
    await ageKey('week', '7 days 1 minute');
    await prune();
    const past = await trader.post(ORDERS, market(), { key: 'week' });

    expect(within.body).to.deep.equal(first.body);
    expect(within.headers['idempotent-replayed']).to.equal('true');
    expect(past.body.order_uuid).not.to.equal(first.body.order_uuid);
  });

  it('shows an order with its intent until the last day, and then neither', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, market());
    const read = async () => ({
      order: await trader.get(`${ORDERS}/${body.order_uuid}`),
      intent: await trader.get(`/v1/intents/${body.order_uuid}`),
    });
    await ageOrder(body.order_uuid, '7 days 23 hours');

    await prune();
    const stored = await read();
    await ageOrder(body.order_uuid, '8 days 1 minute');
    await prune();
    const { order, intent } = await read();

    expect([stored.order.status, stored.intent.status]).to.deep.equal([200, 200]);
    expectProblem(order, 'V1_ORDER_UNKNOWN');
    expectProblem(intent, 'INTENT_UNKNOWN');
  });

  it('shows an order that rested for longer than orders are kept as long as another, from its end on', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit());
    await ageIntent(body.order_uuid, '100 days');
    service.miner.setPrice('BTCUSDC', 89_000);
    const shown = () => trader.get(`${ORDERS}/${body.order_uuid}`);
    const filled = await shown();

    await prune();
    const later = await shown();
    await ageOrder(body.order_uuid, '8 days 1 minute');
    await prune();

    for (const { body: one } of [filled, later]) expect(one).to.include({ lifecycle: 'filled' });
    expectProblem(await shown(), 'V1_ORDER_UNKNOWN');
  });

  it('deletes nothing of concurrent traffic, and only expired rows of the past', async () => {
    await fill(service.settings.DATABASE_URL ?? '', { intents: 6_000, traders: 20 });
    const young = await count('young');
    const traders = await Promise.all(Array.from({ length: TRADERS }, () => service.trader()));
    let open = true;

    const pruning = (async () => {
      while (open) await prune();
    })();
    const replies = await Promise.all(
      traders.map(async (trader) => {
        const placed = [];
        for (let n = 0; n < ORDERS_EACH; n++) placed.push(await trader.post(ORDERS, market({ leverage: 0.001 })));
        return placed;
      }),
    );
    open = false;
    await pruning;

    const all = replies.flat();
    expect(all.map(({ status }) => status)).to.deep.equal(Array(TRADERS * ORDERS_EACH).fill(200));
    for (const { body } of all) expect(effectsUnder(service, body.order_uuid)).to.have.length(1);
    expect(await count('old')).to.equal(0);
    expect([young > 0, await count('young')]).to.deep.equal([true, young]);
  });
});
