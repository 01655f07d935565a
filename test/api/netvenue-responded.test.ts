import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { limit, market, SUBMIT } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const LONG = { NETVENUE_PATIENCE_MS: '10000', NETVENUE_IN_FLIGHT_MS: '60000' };

describe('a miner that has responded, in words that prove nothing,', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService({ settings: LONG });
  });
  after(() => service.stop());
  afterEach(() => service.miner.faults.clear());

  const slotsOf = (intentId: unknown) =>
    service.db.any(sql.type(z.object({}))`select from upstream_slots u where u.intent_id = ${String(intentId)}`);

  it('has a free thread again, although the records that would show what it did cannot be read', async () => {
    const trader = await service.trader();
    const resting = await trader.post(ORDERS, limit());
    const orders = `${ORDERS}/${resting.body.order_uuid}`;
    service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 2, text: 'The moon is full' });
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' });

    const replies = [
      await trader.delete(`${orders}?trade_pair=BTCUSDC`, { prefer: 'wait=2' }),
      await trader.post(`${orders}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }, { prefer: 'wait=2' }),
    ];

    for (const { status, headers } of replies) {
      expect(status).to.equal(202);
      expect(await slotsOf(headers['intent-id'])).to.deep.equal([]);
    }
  });

  it('has a free thread again after a creation that its validator did not answer', async () => {
    const partner = await service.partner();
    service.miner.faults.add({ kind: 'status_500', route: '/miner/api/create-subaccount', times: 1 });

    const created = { asset_class: 'crypto', account_size: 10_000 };
    const reply = await partner.post('/v1/register/netvenue', created, { prefer: 'wait=1' });

    expect(reply.status).to.equal(202);
    expect(await slotsOf(reply.headers['intent-id'])).to.deep.equal([]);
  });
});

describe('a miner that has accepted a verb', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService({});
  });
  after(() => service.stop());

  it('is known to have worked on it until its response, which every verb records that it ends', async () => {
    const trader = await service.trader();
    const resting = await trader.post(ORDERS, limit());
    const orders = `${ORDERS}/${resting.body.order_uuid}`;
    const bracketed = market({ stop_loss: 50_000 });

    const replies = [
      resting,
      await trader.post(`${orders}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }),
      await trader.delete(`${orders}?trade_pair=BTCUSDC`),
      await trader.post(ORDERS, bracketed),
      await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 60_000 }),
      await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }),
    ];

    for (const { status, body } of replies) expect(status, JSON.stringify(body)).to.equal(200);
    const ended = await service.db.any(sql.type(z.object({ kind: z.string(), is_known: z.boolean() }))`
      select kind, coalesce(responded_at between sending_at and settled_at, false) as is_known
      from intents
      where id = any(${sql.array(
        replies.map(({ headers }) => String(headers['intent-id'])),
        'uuid',
      )})`);
    expect(ended.filter(({ is_known }) => !is_known)).to.deep.equal([]);
    expect(ended).to.have.length(replies.length);
  });
});

describe('a miner whose creations are in doubt', function () {
  this.timeout(60_000);
  const ENTRY_SLOTS = 7;
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { threads: 10 },
      settings: { ...LONG, NETVENUE_MINER_THREADS: '10', NETVENUE_EXIT_SLOTS: '2' },
    });
  });
  after(() => service.stop());

  it('is given the orders that wait for their slots, as soon as a look-up shows that it has a thread', async () => {
    const [partner, trader] = [await service.partner(), await service.trader()];
    service.miner.faults.add({ kind: 'reset', route: '/miner/api/create-subaccount', times: ENTRY_SLOTS });
    const created = { asset_class: 'crypto', account_size: 10_000 };
    const later = { prefer: 'wait=0' };
    const lost = await Promise.all(
      Array.from({ length: ENTRY_SLOTS }, () => partner.post('/v1/register/netvenue', created, later)),
    );
    await until('all are in doubt', async () => {
      const shown = await Promise.all(lost.map(({ headers }) => partner.get(`/v1/intents/${headers['intent-id']}`)));
      return shown.every(({ body }) => body.state === 'in_doubt') || null;
    });

    const startedAt = performance.now();
    const placed = await trader.post(ORDERS, market());

    expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
    expect(performance.now() - startedAt).to.be.below(5_000);
    expect(service.miner.mostAtOnce()).to.be.at.most(10);
  });
});
