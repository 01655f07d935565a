import { expect } from 'chai';
import { effectsOn } from '../support/exchange.ts';
import { jsonAnswer, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const NOTHING: Record<string, unknown> = {
  orderStatus: { status: 'unknownOid' },
  frontendOpenOrders: [],
  userFillsByTime: [],
  historicalOrders: [],
};

/** The exchange behind a proxy: while it is `behind`, its reads show nothing that an account has done. */
async function startLagging() {
  const state = { isBehind: false, onNoop: (_: string) => {} };
  const proxy: VenueProxy = await startProxy(async ({ type = '', action }, forward) => {
    if (state.isBehind && type in NOTHING) return jsonAnswer(NOTHING[type]);
    const answer = await forward();
    if (action?.type === 'noop') state.onNoop(answer?.text ?? '');
    return answer;
  });
  /** Resolves when a no-op has been answered with such a text. */
  const noop = (text: RegExp) =>
    new Promise<void>((resolve) => {
      state.onNoop = (answer) => text.test(answer) && resolve();
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
    await service.runTask('orders/exvenue/place', { intent_id: id });
    const whileBehind = await read(trader, id);
    lagging.state.isBehind = false;
    await service.runTask('orders/exvenue/place', { intent_id: id });
    const after = await trader.poll(reply, 20_000);

    expect(whileBehind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(after).to.include({ state: 'succeeded', effect: 'done' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });

  it('does not delay the end of an order that never arrived: its nonce could be burnt', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });

    const intent = await trader.poll(await trader.post(ORDERS, market, { prefer: 'wait=0' }), 20_000);

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('NOT_CARRIED_OUT');
    expect(effectsOn(service, trader, 'placed')).to.be.empty;
  });

  it('does not count a leverage that was set as evidence of the order after it', async () => {
    const trader = await service.wallet();
    const noteOrder = lagging.noop(/ok/);
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });
    // the first action is the leverage, so the reset is moved to the second one
    const { next } = service.exchange.faults;
    let actions = 0;
    service.exchange.faults.next = (call) => (call === 'POST /exchange' && actions++ === 0 ? null : next(call));

    const reply = await trader.post(ORDERS, { ...market, leverage: 5 }, { prefer: 'wait=0' });
    await noteOrder;
    const intent = await trader.poll(reply, 20_000);
    service.exchange.faults.next = next;

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(effectsOn(service, trader, 'leverage')).to.have.length(1);
  });
});
