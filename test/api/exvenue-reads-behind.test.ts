import { expect } from 'chai';
import { sql } from 'slonik';
import { effectsOn, openOids, readWallets, whenActing } from '../support/exchange.ts';
import { jsonReply, NOTHING_DONE, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const NOTHING: Record<string, unknown> = { ...NOTHING_DONE, historicalOrders: [] };

/** The response to cancellations of orders that the exchange does not have yet. */
const missed = (cancels: unknown[]) => {
  const error = 'Order was never placed, already canceled, or filled.';
  return { status: 'ok', response: { type: 'cancel', data: { statuses: cancels.map(() => ({ error })) } } };
};

/** The exchange behind a proxy: while it is `behind`, its reads show nothing that an account has done. */
async function startLagging() {
  const state = { isBehind: false, misses: '', onNoop: (_: string) => {} };
  const proxy: VenueProxy = await startProxy(async ({ type = '', action }, forward) => {
    if (state.isBehind && type in NOTHING) return jsonReply(NOTHING[type]);
    if (action && action.type === state.misses) return jsonReply(missed(action.cancels ?? []));
    const reply = await forward();
    if (action?.type === 'noop') state.onNoop(reply?.text ?? '');
    return reply;
  });
  /** Resolves when the response to a no-op has such a text. */
  const noop = (text: RegExp) =>
    new Promise<void>((resolve) => {
      state.onNoop = (reply) => text.test(reply) && resolve();
    });
  return { state, noop, proxy };
}

describe('an exchange whose reads are behind', () => {
  let lagging: Awaited<ReturnType<typeof startLagging>>;
  let service: TestService;
  before(async () => {
    lagging = await startLagging();
    service = await startService({
      settings: {
        EXVENUE_URL: lagging.proxy.url,
        EXVENUE_EXPIRES_MS: '1000',
        EXVENUE_CLOCK_MARGIN_MS: '100',
        EXVENUE_READ_LAG_MS: '60000',
      },
    });
    lagging.proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await lagging.proxy.close();
  });
  afterEach(() => {
    lagging.state.isBehind = false;
    service.exchange.faults.clear();
  });

  const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  const read = async (
    trader: { get(path: string): Promise<{ body: { state: string; effect: string } }> },
    id: string,
  ) => (await trader.get(`/v1/intents/${id}`)).body;

  it('does not make an order forgotten whose nonce was used: it is looked for until it is found', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    lagging.state.isBehind = true;
    const used = lagging.noop(/duplicate nonce/);

    const reply = await trader.post(ORDERS, market, { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    await used;
    await service.runTask('exchange/place', { intent_id: id });
    const whileBehind = await read(trader, id);
    lagging.state.isBehind = false;
    await service.runTask('exchange/place', { intent_id: id });
    const after = await trader.pollIntent(reply, 20_000);

    expect(whileBehind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(after).to.include({ state: 'succeeded', effect: 'done' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });

  const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 99_000 };

  it('does not make an order cancelled that no read shows: a cancellation that never arrived has no effect', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...LIMIT, price: 50_000 });
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, price: 51_000 });
    lagging.state.isBehind = true;
    const expiredAt = Date.now() + Number(service.settings.EXVENUE_EXPIRES_MS) + 1_000;
    const restore = whenActing(service, () => (Date.now() < expiredAt ? 'reset' : undefined));

    const reply = await trader.delete(`${ORDERS}/${order.ex_order_id}`, { prefer: 'wait=0' });
    const { state, effect, problem } = await trader.pollIntent(reply, 20_000);
    restore();
    expect([state, effect, problem.code]).to.deep.equal(['failed', 'none', 'NOT_CARRIED_OUT']);
    expect(effectsOn(service, trader, 'cancelled')).to.be.empty;
  });

  it('does not make a cancellation reported whose response was lost before the records show it', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, price: 51_000 });
    lagging.state.isBehind = true;
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    const used = lagging.noop(/duplicate nonce/);

    const reply = await trader.delete(`${ORDERS}/${order.ex_order_id}`, { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    await used;
    await service.runTask('exchange/cancel', { intent_id: id });
    const whileBehind = await read(trader, id);
    lagging.state.isBehind = false;
    const after = await trader.pollIntent(reply, 20_000);

    expect(whileBehind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(after.result).to.include({ status: 'ok', cancelled_count: 1 });
  });

  it('does not hide from cancel-all the exits of an order that was filled a moment before', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...LIMIT, take_profit: 120_000, stop_loss: 80_000 });
    lagging.state.isBehind = true;
    service.exchange.setMid('BTC', '98900');
    service.exchange.setMid('BTC', '100000');

    const { body } = await trader.delete(ORDERS);
    lagging.state.isBehind = false;
    await readWallets(service);

    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 2, failed_count: 0 });
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('does not let an order in doubt survive a cancel-all after it, nor come back later', async () => {
    for (const isMissed of [false, true]) {
      const trader = await service.wallet();
      service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
      lagging.state.isBehind = true;
      const placed = await trader.post(ORDERS, { ...LIMIT, stop_loss: 80_000 }, { prefer: 'wait=0' });
      await whenState(String(placed.headers['intent-id']), 'in_doubt');
      lagging.state.misses = isMissed ? 'cancelByCloid' : '';

      const { body } = await trader.delete(ORDERS);
      lagging.state.misses = '';
      lagging.state.isBehind = false;
      const order = await trader.pollIntent(placed, 20_000);
      await settledAll();

      expect(body, JSON.stringify(body)).to.include({ status: 'ok', failed_count: 0 });
      expect(order).to.include({ state: 'succeeded', effect: 'done' });
      expect(await openOids(service, trader), `missed: ${isMissed}`).to.be.empty;
    }
  });

  it('does not let the exits of such an order survive if it was filled', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    lagging.state.isBehind = true;
    const placed = await trader.post(ORDERS, { ...market, take_profit: 120_000 }, { prefer: 'wait=0' });
    await whenState(String(placed.headers['intent-id']), 'in_doubt');
    lagging.state.misses = 'cancelByCloid';

    await trader.delete(ORDERS);
    lagging.state.misses = '';
    lagging.state.isBehind = false;
    await trader.pollIntent(placed, 20_000);
    await readWallets(service);
    await settledAll();

    expect(await openOids(service, trader)).to.be.empty;
  });

  it('does not make exits placed that a cancel-all after them has ended', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    const restore = whenActing(service, (before) => {
      lagging.state.isBehind = true;
      return before === 0 ? 'accept_then_drop' : undefined;
    });
    const reply = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 }, { prefer: 'wait=0' });
    await whenState(String(reply.headers['intent-id']), 'in_doubt');

    await trader.delete(ORDERS);
    restore();
    lagging.state.isBehind = false;
    const { result } = await trader.pollIntent(reply, 20_000);

    expect(result, JSON.stringify(result)).to.include({ trigger_status: 'failed', sl_order_id: null, stop_loss: null });
    expect(result.trigger_error).to.match(/later command/);
    await settledAll();
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('does not make a close too small: it waits until the last fill is shown', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, market);
    service.exchange.setBehind(600);
    await openOids(service, trader); // reads show this state for 0.6 s
    await trader.post(ORDERS, market);

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });
    service.exchange.setBehind(0);

    expect(body, JSON.stringify(body)).to.include({ status: 'filled', filled_size: '0.02' });
  });

  const whenState = async (id: string, state: string) => {
    while (!(await service.db.exists(sql.unsafe`select from intents where id = ${id} and state = ${state}`)))
      await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const settledAll = async () => {
    while (await service.db.exists(sql.unsafe`select from intents where settled_at is null`))
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('does not delay the end of an order that never arrived: its nonce could be burnt', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });

    const intent = await trader.pollIntent(await trader.post(ORDERS, market, { prefer: 'wait=0' }), 20_000);

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('NOT_CARRIED_OUT');
    expect(effectsOn(service, trader, 'placed')).to.be.empty;
  });

  it('does not count a leverage that was set as evidence of the order after it', async () => {
    const trader = await service.wallet();
    const noop = lagging.noop(/ok/);
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });
    // the first action is the leverage, so the reset is moved to the second one
    const { next } = service.exchange.faults;
    let actions = 0;
    service.exchange.faults.next = (call) => (call === 'POST /exchange' && actions++ === 0 ? null : next(call));

    const reply = await trader.post(ORDERS, { ...market, leverage: 5 }, { prefer: 'wait=0' });
    await noop;
    const intent = await trader.pollIntent(reply, 20_000);
    service.exchange.faults.next = next;

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(effectsOn(service, trader, 'leverage')).to.have.length(1);
  });
});
