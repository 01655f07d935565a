import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { effectsOn } from '../support/exchange.ts';
import { jsonReply, NOTHING_DONE, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

describe('nonces at the exchange', () => {
  const party = { isBlind: false, taken: 0, burns: [] as string[] };
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type = '', action, ...envelope }, forward) => {
      if (party.isBlind && type in NOTHING_DONE) return jsonReply(NOTHING_DONE[type]);
      if (action && action.type !== 'noop' && party.taken > 0) {
        party.taken -= 1;
        const { nonce } = envelope as { nonce?: number };
        return jsonReply({ status: 'err', response: `Invalid nonce: duplicate nonce ${nonce}` });
      }
      const reply = await forward();
      if (action?.type === 'noop') party.burns.push(reply?.text ?? '');
      return reply;
    });
    service = await startService({
      settings: {
        EXVENUE_URL: proxy.url,
        EXVENUE_EXPIRES_MS: '1000',
        EXVENUE_CLOCK_MARGIN_MS: '100',
        EXVENUE_READ_LAG_MS: '10',
      },
    });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => {
    Object.assign(party, { isBlind: false, taken: 0 });
    service.exchange.faults.clear();
  });

  it('never prove that nothing happened when one was used, however long reads show nothing', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    party.isBlind = true;
    const reply = await trader.post(ORDERS, LIMIT, { prefer: 'wait=0' });
    const intent_id = String(reply.headers['intent-id']);
    while (!party.burns.some((text) => text.includes('duplicate nonce')))
      await new Promise((resolve) => setTimeout(resolve, 50));

    await service.db.query(sql.unsafe`
      update intents set sending_at = sending_at - interval '1 day' where id = ${intent_id}`);
    await service.runTask('exchange/place', { intent_id });
    const blind = (await trader.get(`/v1/intents/${intent_id}`)).body;
    const againS = await service.db.oneFirst(sql.type(z.object({ s: z.number() }))`
      select extract(epoch from j.run_at - now())::float8 s from queue_jobs j where j.key = ${`doubt ${intent_id}`}`);
    party.isBlind = false;
    await service.runTask('exchange/place', { intent_id });
    const seeing = await trader.pollIntent(reply, 20_000);

    expect(blind).to.include({ state: 'in_doubt', effect: 'unknown' });
    expect(againS, 'reads have caught up: it takes little of the budget from now on').to.be.above(300);
    expect(seeing).to.include({ state: 'succeeded', effect: 'done' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
  });

  it("are chosen again when the trader's own software has used one", async () => {
    const trader = await service.wallet();
    party.taken = 1;

    const placed = await trader.post(ORDERS, LIMIT);
    party.taken = 1;
    const cancelled = await trader.delete(`${ORDERS}/${placed.body.ex_order_id}`);

    expect(placed.body, JSON.stringify(placed.body)).to.include({ status: 'open' });
    expect(cancelled.body, JSON.stringify(cancelled.body)).to.include({ status: 'ok', cancelled_count: 1 });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
    expect(effectsOn(service, trader, 'cancelled')).to.have.length(1);
  });
});
