import { expect } from 'chai';
import { sql } from 'slonik';
import { restDirectly } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Row = Record<string, string | null>;

// The exchange lists the waiting exits of a resting order at top level too, as its recorded responses do.
describe('what protects a position on the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(async () => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  const ORDERS = '/v1/orders/exvenue';
  const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  const shortBracket = {
    pair: 'BTC',
    side: 'short',
    size: '0.02',
    order_type: 'limit',
    price: 105000,
    take_profit: 95000,
    stop_loss: 110000,
  };

  async function everythingSettled(): Promise<void> {
    while (await service.db.exists(sql.unsafe`select from intents where settled_at is null`)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await new Promise((resolve) => setTimeout(resolve, 1_050)); // a list of open orders is valid for 1 s
  }

  const positionOf = async (trader: Trader): Promise<Row> => {
    const [position] = (await trader.get('/v1/positions/exvenue')).body;
    return position;
  };
  const openTriggers = async (trader: Trader): Promise<(string | null)[]> =>
    (await trader.get(ORDERS)).body.map(({ take_profit, stop_loss }: Row) => take_profit ?? stop_loss);

  it('is recognised in the list by the order for whose fill an exit waits', async () => {
    const trader = await service.wallet();
    const { body: bracket } = await trader.post(ORDERS, shortBracket);
    await trader.post(ORDERS, { ...market, stop_loss: 90_000 });
    await everythingSettled();

    const parents = ((await trader.get(ORDERS)).body as Row[]).map((row) => [
      row.take_profit && row.stop_loss ? 'order' : (row.take_profit ?? row.stop_loss),
      row.parent_ex_order_id,
    ]);
    expect(parents).to.have.deep.members([
      ['order', null],
      ['95000', bracket.ex_order_id],
      ['110000', bracket.ex_order_id],
      ['90000', null],
    ]);
  });

  it('are not the waiting exits of a resting order of the other side', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    await trader.post(ORDERS, shortBracket);
    await everythingSettled();

    expect(await positionOf(trader)).to.include({ side: 'long', take_profit: null, stop_loss: null });
  });

  it('is no waiting exit of a half-filled order until the rest is filled too', async () => {
    const trader = await service.wallet();
    const half = { ...market, order_type: 'limit', price: 100_100, size: '0.0505', stop_loss: 90_000 };

    await trader.post(ORDERS, half); // the sandbox fills half of this size at once
    await everythingSettled();
    const waiting = await positionOf(trader);
    service.exchange.setMid('BTC', '99900');
    await everythingSettled();

    expect(waiting).to.include({ side: 'long', stop_loss: null });
    expect(await positionOf(trader)).to.include({ side: 'long', stop_loss: '90000' });
  });

  it('tp-sl leaves the waiting exits of a resting order in place', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    await trader.post(ORDERS, shortBracket);

    const set = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', take_profit: 120000, stop_loss: 90000 });
    await everythingSettled();
    service.exchange.setMid('BTC', '105100');
    await everythingSettled();

    expect(set.body).to.include({ trigger_status: 'placed' });
    expect(await openTriggers(trader)).to.include.members(['95000', '110000']);
    expect(await positionOf(trader)).to.include({ side: 'short', stop_loss: '110000' });
  });

  it('is no stop of half of it, and of two stops the one that is reached first', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    const stop = (price: string, size: string) => ({
      side: 'sell' as const,
      price: '80000',
      size,
      reduceOnly: true,
      trigger: { price, kind: 'sl' as const, isMarket: true },
    });

    await restDirectly(service, trader, [stop('90000', '0.005')]);
    await everythingSettled();
    const half = await positionOf(trader);
    await restDirectly(service, trader, [stop('92000', '0.005')]);
    await everythingSettled();

    expect(half).to.include({ stop_loss: null });
    expect(await positionOf(trader)).to.include({ stop_loss: '92000' });
  });

  it('cancelling all orders names a bracket once, without its waiting exits', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, shortBracket);

    const { body } = await trader.delete(ORDERS);

    expect(body).to.include({ status: 'ok', total_open_orders: 1, cancelled_count: 1, failed_count: 0 });
  });

  it('an order that only reduces takes no exits', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);

    const reply = await trader.post(ORDERS, { ...market, side: 'short', reduce_only: true, stop_loss: 90000 });

    expect(reply.status).to.equal(422);
    expect(reply.body.error.code).to.equal('V1_PRICES_INVALID');
  });

  it('exits on the wrong side of an order are rejected before anything is sent', async () => {
    const trader = await service.wallet();

    const atMarket = await trader.post(ORDERS, { ...market, stop_loss: 105000 });
    const atLimit = await trader.post(ORDERS, { ...shortBracket, take_profit: 106000 });

    expect([atMarket, atLimit].map(({ body }) => body.error?.code)).to.deep.equal(Array(2).fill('V1_PRICES_INVALID'));
    expect(service.exchange.ledger.entries().filter(({ detail }) => detail.account === trader.wallet)).to.deep.equal(
      [],
    );
  });
});
