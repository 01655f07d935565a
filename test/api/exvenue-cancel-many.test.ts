import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import { openOids, restDirectly } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const JOBS = 10; // one read of an exit at once, and two that wait
const MANY = 12;

describe('a cancellation of many exits that were replaced', () => {
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy();
    service = await startService({ settings: { TRADING_CONCURRENCY: String(JOBS), EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  /** The wallet's orders are cancelled as a command does that has replaced them. */
  async function cancelReplaced(wallet: string, oids: number[]): Promise<string> {
    const id = newIntentId();
    await service.db.query(sql.type(z.object({}))`
      select accept_intents(jsonb_build_array(jsonb_build_object('n', 0, 'id', ${id}::text, 'kind', i.kind, 'owner', i.owner, 'lane', i.lane,
        'digest', '00', 'deadline_s', 10, 'request', i.request || ${JSON.stringify({ oids, coin: 'BTC', because_of: id })}::jsonb)))
      from intents i
      where i.kind = 'exchange/cancel' and i.request ->> 'wallet' = ${wallet}`);
    return id;
  }

  it('reads all of them, although fewer reads may wait for a turn: it would be tried again, and its lane stand, for ten minutes', async () => {
    const trader = await service.wallet();
    await trader.delete('/v1/orders/exvenue'); // its owner and its lane are known from it
    const oids = await restDirectly(
      service,
      trader,
      Array.from({ length: MANY }, () => ({ price: '50000' })),
    );
    const id = await cancelReplaced(trader.wallet, oids);

    await until('no order rests', async () => (await openOids(service, trader)).length === 0 || null, 8_000);

    await until('its end', async () => (await trader.get(`/v1/intents/${id}`)).body.state === 'succeeded' || null);
  });

  it('is carried out although one of them cannot be read', async () => {
    const trader = await service.wallet();
    await trader.delete('/v1/orders/exvenue');
    const oids = await restDirectly(service, trader, [{ price: '50000' }, { price: '60000' }]);
    proxy.handle = async (body, forward) =>
      body.type === 'orderStatus' && body.oid === oids[0] ? jsonReply({ status: 'order', order: {} }) : forward();

    await cancelReplaced(trader.wallet, oids);

    await until('no order rests', async () => (await openOids(service, trader)).length === 0 || null, 8_000);
  });
});
