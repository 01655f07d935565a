import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { followUp } from '../../src/venues/exchange/orders/follow-up.ts';
import { protect } from '../../src/venues/exchange/orders/protect.ts';
import { listExchangeOrders } from '../../src/venues/exchange/orders/queries.ts';
import { noteExits } from '../../src/venues/exchange/orders/store.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

describe('commands about exits', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_READ_LAG_MS: '3000' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.setBehind(0));

  const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

  async function settled(): Promise<void> {
    while (await service.db.exists(sql.unsafe`select from intents where settled_at is null`)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function resting({ wallet }: Trader): Promise<string[]> {
    const open = await exchangeOf(service).openOrders(wallet);
    if (open.kind !== 'found') throw new Error(open.kind);
    const live = open.data.filter(({ parentOid }) => parentOid === null); // others wait for their order's fill
    return live.map(({ exit, triggerPrice }) => `${exit} ${triggerPrice}`).sort();
  }

  it('count in the order of their acceptance, also when reads show none of them yet', async () => {
    const trader = await service.wallet();
    await trader.post('/v1/orders/exvenue', MARKET);
    service.exchange.setBehind(1_000);
    await resting(trader); // reads show this state for a second

    for (const stop_loss of [80_000, 81_000, 82_000]) {
      await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', stop_loss }, { prefer: 'wait=0' });
    }
    await settled();

    service.exchange.setBehind(0);
    expect(await resting(trader)).to.deep.equal(['sl 82000']);
  });

  it('stand over exits that are placed again for an order', async () => {
    const trader = await service.wallet();
    const limit = { ...MARKET, order_type: 'limit', price: 100_100, size: '0.0505', take_profit: 120_000 };
    const order = await trader.post('/v1/orders/exvenue', { ...limit, stop_loss: 80_000 });
    await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', stop_loss: 85_000 });
    const { owner } =
      (await listExchangeOrders(service.db, await ownerOf(order.body.order_id), [order.body.order_id]))[0] ?? {};
    const asked = { wallet: trader.wallet, pair: 'BTC-USDC', take_profit: '120000', stop_loss: '80000' };

    const next = followUp({ id: order.body.order_id, owner: String(owner) }, protect, asked);
    await noteExits(service.db, order.body.order_id, { trigger_status: 'partial_failure' }, next);
    await settled();

    expect((await resting(trader)).filter((exit) => !exit.startsWith('null'))).to.deep.equal(['sl 85000', 'tp 120000']);
  });

  it('and closings wait for reads that do not show the position yet', async () => {
    const trader = await service.wallet();
    service.exchange.setBehind(700);
    await exchangeOf(service).openOrders(trader.wallet); // reads show this state for 0.7 s
    await trader.post('/v1/orders/exvenue', MARKET);

    const protectedBy = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', stop_loss: 80_000 });
    await trader.post('/v1/orders/exvenue', MARKET);
    const closed = await trader.post('/v1/orders/exvenue/close', { pair: 'BTC' });

    expect(protectedBy.body.trigger_status, JSON.stringify(protectedBy.body)).to.equal('placed');
    expect(closed.body.status, JSON.stringify(closed.body)).to.equal('filled');
  });

  it('end a filled exit as placed, and do not bring it back', async () => {
    const trader = await service.wallet();
    const order = await trader.post('/v1/orders/exvenue', {
      ...MARKET,
      order_type: 'limit',
      price: 99_000,
      take_profit: 120_000,
      stop_loss: 90_000,
    });
    for (const price of ['98900', '121000', '100000']) service.exchange.setMid('BTC', price);

    await readWallets(service);
    await settled();

    const [recorded] = await listExchangeOrders(service.db, await ownerOf(order.body.order_id), [order.body.order_id]);
    expect(recorded?.executed).to.include({ status: 'filled', trigger_status: 'placed', trigger_error: null });
    expect(await resting(trader)).to.deep.equal([]);
  });

  const ownerOf = (orderId: string) =>
    service.db.oneFirst(sql.type(z.object({ owner: z.string() }))`select owner from orders where id = ${orderId}`);
});
