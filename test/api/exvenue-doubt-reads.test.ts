import { expect } from 'chai';
import { sql } from 'slonik';
import { until } from '../support/processes.ts';
import { jsonReply, NOTHING_DONE, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

describe('an old order in doubt whose nonce tells nothing, because the exchange takes no action of its account', function () {
  this.timeout(60_000);
  const read: string[] = [];
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type = '', action }, forward) => {
      if (action?.type === 'noop') return jsonReply({ status: 'err', response: 'Too many cumulative requests sent' });
      if (!(type in NOTHING_DONE)) return forward();
      read.push(type);
      return jsonReply(NOTHING_DONE[type]);
    });
    const times = { EXVENUE_EXPIRES_MS: '1000', EXVENUE_CLOCK_MARGIN_MS: '100', EXVENUE_READ_LAG_MS: '1000' };
    service = await startService({ settings: { EXVENUE_URL: proxy.url, ...times } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service?.stop();
    await proxy?.close();
  });

  it('is looked for where that costs little, and everywhere once in six times', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });
    const reply = await trader.post('/v1/orders/exvenue', LIMIT, { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    const attempts = () =>
      service.db.oneFirst(sql.unsafe`select reconcile_attempts from intents where id = ${id} and state = 'in_doubt'`);
    await until('a look-up', async () => Number(await attempts().catch(() => 0)) > 0 || null);
    await service.db.query(sql.unsafe`
      update intents set sending_at = sending_at - interval '1 hour', reconcile_attempts = 13 where id = ${id}`);
    read.length = 0;

    for (let n = 0; n < 6; n += 1) await service.runTask('exchange/place', { intent_id: id });

    expect(Number(await attempts())).to.be.within(19, 23); // its job may have looked, too
    expect(read.filter((type) => type === 'orderStatus').length).to.be.at.least(6);
    expect(read.filter((type) => type === 'userFillsByTime')).to.have.length(1);
  });
});
