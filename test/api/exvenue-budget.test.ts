import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BUY = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };
const PER_MINUTE = 900;
const MORE_THAN_IT_TAKES = 80;

describe('an exchange that takes no more than its budget', function () {
  this.timeout(60_000);
  let proxy: VenueProxy;
  let service: TestService;
  const asked: string[] = [];
  before(async () => {
    proxy = await startProxy((body, forward) => {
      asked.push(body.action?.type ?? body.type ?? '');
      return forward();
    });
    service = await startService({
      settings: {
        EXVENUE_URL: proxy.url,
        EXVENUE_BUDGET_PER_MINUTE: String(PER_MINUTE),
        ORDER_DEADLINE_MS: '4000',
        THROTTLE_SCALE: '1000',
      },
    });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  const everInDoubt = (kind: string) =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count
      from intents
      where kind = ${kind} and reconcile_attempts > 0`);

  it('is asked once what a close did: its executions show it, and no look-up follows', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, BUY);
    asked.length = 0;

    const { status, body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ status: 'filled', filled_size: '0.001' });
    expect(asked).to.not.include('orderStatus');
    expect(await everInDoubt('exchange/close')).to.equal(0);
  });

  it('leaves no order in doubt that waits for it: what was not sent is tried again, and expires without effect', async () => {
    const traders = [await service.wallet(), await service.wallet(), await service.wallet()];
    const place = async (trader: (typeof traders)[number]) => {
      const sent = [];
      for (let n = 0; n < MORE_THAN_IT_TAKES; n++) sent.push(await trader.post(ORDERS, BUY, { prefer: 'wait=0' }));
      return Promise.all(sent.map((reply) => trader.pollIntent(reply, 20_000)));
    };

    const ended = await Promise.all(traders.map(place));

    expect(new Set(ended.flat().map(({ state }) => state))).to.deep.equal(new Set(['succeeded', 'expired']));
    expect(await everInDoubt('exchange/place')).to.equal(0);
  });
});
