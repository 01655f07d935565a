import { expect } from 'chai';
import { restDirectly, whenActing } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';

type Row = { order: { timestamp: number; origSz: string }; status: string; statusTimestamp: number };

/** The row of an order's placement, which the exchange lists beside that of its end. */
const placementOf = (row: Row): Row => ({
  order: { ...row.order, ...{ sz: row.order.origSz } },
  status: 'open',
  statusTimestamp: row.order.timestamp,
});

describe('a cancellation of many orders whose response is lost', function () {
  this.timeout(60_000);
  let service: TestService;
  let proxy: VenueProxy;
  let listed: (rows: Row[]) => Row[];
  let restore = () => {};
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) => {
      const reply = await forward();
      return type === 'historicalOrders' && reply ? jsonReply(listed(JSON.parse(reply.text) as Row[])) : reply; // as: so the venue says it
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => restore());

  for (const [order, rows] of [
    ['the end', (row: Row) => [row, placementOf(row)]],
    ['the placement', (row: Row) => [placementOf(row), row]],
  ] as const) {
    it(`is concluded from a history that lists of each order ${order} first`, async () => {
      listed = (all) => all.flatMap(rows);
      const trader = await service.wallet();
      await restDirectly(
        service,
        trader,
        Array.from({ length: 12 }, () => ({ price: '50000' })),
      );
      restore = whenActing(service, () => 'accept_then_drop');

      const { state, result } = await trader.pollIntent(await trader.delete(ORDERS, { prefer: 'wait=0' }), 8_000);

      expect([state, result?.status, result?.cancelled_count]).to.deep.equal(['succeeded', 'ok', 12]);
    });
  }
});
