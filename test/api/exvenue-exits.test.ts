import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

describe('exits on the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(async () => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  const triggerStatus = (orderId: string) =>
    service.db.oneFirst(sql.type(z.object({ status: z.string() }))`
      select executed ->> 'trigger_status' as status
      from orders
      where id = ${orderId}`);

  /** Waits until the follow-up intents have been executed too. */
  async function everythingSettled(): Promise<void> {
    while (await service.db.exists(sql.unsafe`select from intents where settled_at is null`)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const long = { pair: 'BTC', side: 'long', size: '0.01' };

  it('are submitted with a market order and placed once it is filled', async () => {
    const trader = await service.wallet();

    const reply = await trader.post('/v1/orders/exvenue', {
      ...long,
      order_type: 'market',
      take_profit: 120000,
      stop_loss: 90000,
    });
    await readWallets(service);
    const open = await trader.get('/v1/orders/exvenue');

    expect(reply.body, JSON.stringify(reply.body)).to.include({ status: 'filled', take_profit: '120000' });
    expect(reply.body.trigger_status).to.be.oneOf(['placed', 'pending_parent_fill']);
    expect(
      open.body.map(({ take_profit, stop_loss }: Record<string, string>) => take_profit ?? stop_loss),
    ).to.have.members(['120000', '90000']);
  });

  it('wait for a resting order and are placed when it fills', async () => {
    const trader = await service.wallet();

    const placed = await trader.post('/v1/orders/exvenue', {
      ...long,
      order_type: 'limit',
      price: 99000,
      take_profit: 120000,
    });
    service.exchange.setMid('BTC', '98900');
    await readWallets(service);
    const [exit] = (await trader.get('/v1/orders/exvenue')).body;

    expect(placed.body).to.include({ status: 'open', trigger_status: 'pending_parent_fill' });
    expect(exit).to.include({ take_profit: '120000', side: 'short' });
    expect(await triggerStatus(placed.body.order_id)).to.equal('placed');
  });

  const bracket = { ...long, order_type: 'limit', price: 90000, stop_loss: 80000 };
  /** In how many seconds wallets are read next; a reading that is under way plans it at its end. */
  const nextReading = () =>
    until('the next reading is planned', () =>
      service.db.maybeOneFirst(sql.type(z.object({ in_s: z.number() }))`
        select extract(epoch from run_at - now())::double precision as in_s
        from queue_jobs
        where task = 'exchange/watch' and locked_at is null`),
    );

  it('of one that fills are seen at once beside 200 that rest on five wallets, and the next reading follows within seconds', async () => {
    const traders = [];
    while (traders.length < 5) traders.push(await service.wallet());
    for (const trader of traders)
      await Promise.all(Array.from({ length: 40 }, () => trader.post('/v1/orders/exvenue', bracket)));
    const [trader] = traders as [(typeof traders)[0]]; // as: there are five
    const placed = await trader.post('/v1/orders/exvenue', { ...bracket, price: 99000 });
    const planned = await nextReading();
    service.exchange.setMid('BTC', '98900');

    await readWallets(service);

    expect(planned).to.be.below(10);
    expect(await triggerStatus(placed.body.order_id)).to.equal('placed');
    expect(await nextReading()).to.be.below(15);
    for (const { delete: cancel } of traders) await cancel('/v1/orders/exvenue');
  }).timeout(60_000);

  it('that the venue ends with the rest of a half-filled order are read at once, not by the clock', async () => {
    const trader = await service.wallet();
    const placed = await trader.post('/v1/orders/exvenue', bracket);

    await trader.delete(`/v1/orders/exvenue/${placed.body.ex_order_id}`);

    const read = async () => (await triggerStatus(placed.body.order_id)) === 'failed';
    await until('the exits are read', read, 3_000);
  });

  it('end with an order that is cancelled before it fills', async () => {
    const trader = await service.wallet();
    const placed = await trader.post('/v1/orders/exvenue', {
      ...long,
      order_type: 'limit',
      price: 90000,
      stop_loss: 80000,
    });

    await trader.delete('/v1/orders/exvenue');
    await readWallets(service);

    expect(await triggerStatus(placed.body.order_id)).to.equal('failed');
    expect((await trader.get('/v1/orders/exvenue')).body).to.deep.equal([]);
  });

  it('are replaced leg by leg, and the position is always protected', async () => {
    const trader = await service.wallet();
    await trader.post('/v1/orders/exvenue', { ...long, order_type: 'market' });
    const first = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', take_profit: 120000, stop_loss: 90000 });

    const second = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', stop_loss: 95000 });
    await everythingSettled();
    await new Promise((resolve) => setTimeout(resolve, 1_050)); // a list of open orders is valid for 1 s
    const open = await trader.get('/v1/orders/exvenue');

    expect(second.body).to.include({
      trigger_status: 'placed',
      tp_order_id: first.body.tp_order_id,
      stop_loss: '95000',
    });
    expect(open.body.map(({ ex_order_id }: { ex_order_id: string }) => ex_order_id)).to.have.members([
      first.body.tp_order_id,
      second.body.sl_order_id,
    ]);
  });

  it('are rejected on the wrong side of the market, and without a position', async () => {
    const trader = await service.wallet();

    const bare = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', take_profit: 120000 });
    await trader.post('/v1/orders/exvenue', { ...long, order_type: 'market' });
    const below = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', take_profit: 90000 });

    expect(bare.body.error.code).to.equal('V1_NO_POSITION');
    expect(below.body.error.code).to.equal('V1_PRICES_INVALID');
  });
});
