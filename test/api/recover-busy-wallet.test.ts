import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { recoverExchange } from '../../src/commands/recover/exchange.ts';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const SINCE_MS = Date.now() - 3_600_000;

describe('a database that is recovered, of a wallet with more orders than the exchange lists', () => {
  let service: TestService;
  let proxy: VenueProxy;
  before(async () => {
    service = await startService();
    proxy = await startProxy();
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  const order = (oid: number, cloid: string | null) => ({
    ...{ coin: 'BTC', side: 'B', limitPx: '90000.0', sz: '0.01', origSz: '0.01', oid, cloid },
    ...{ timestamp: SINCE_MS + 1_000, children: [], isTrigger: false, orderType: 'Limit', tif: 'Gtc' },
  });
  /** Each order of other software, twice, as the exchange lists it: its placement and its end. */
  const rows = (count: number, statusMs: number) =>
    Array.from({ length: count }, (_, n) => ({
      order: order(1_000_000 - (n >> 1), null),
      status: n % 2 === 0 ? 'canceled' : 'open',
      statusTimestamp: statusMs - n,
    }));

  for (const [name, oldestMs, found] of [
    ['does not go back to the backup', Date.now(), true],
    ['goes back beyond the backup', SINCE_MS - 60_000, false],
  ] as const) {
    it(`finds what was executed and what rests, where the history ${name}: ${found}`, async () => {
      const trader = await service.wallet();
      const [executed, resting] = [randomUUID(), randomUUID()];
      const fill = {
        ...{ coin: 'BTC', side: 'B', px: '90000.0', sz: '0.01', time: SINCE_MS + 2_000, oid: 7, tid: 8 },
        ...{ startPosition: '0.0', closedPnl: '0.0', fee: '0.4', feeToken: 'USDC', dir: 'Open Long' },
      };
      proxy.handle = async ({ type, user }) => {
        if (user !== trader.wallet) return jsonReply(type === 'perpDexs' ? [null] : []);
        if (type === 'historicalOrders') return jsonReply(rows(2_000, oldestMs));
        if (type === 'userFillsByTime') return jsonReply([{ ...fill, cloid: cloidOf(executed) }]);
        return type === 'frontendOpenOrders' ? jsonReply([order(5, cloidOf(resting))]) : jsonReply(null, 500);
      };
      const lines: string[] = [];
      const venue = exvenue({ url: proxy.url, network: 'testnet', budgetPerMinute: 100_000 });

      const print = (line: string) => void lines.push(line);
      await recoverExchange({ db: service.db, exvenue: venue, print, printUnread: print }, SINCE_MS);

      const told = lines.filter((line) => line.includes(trader.wallet));
      expect(told.map((line) => line.replace(/ of 0x.*|0x\S*/, '')).toSorted()).to.deep.equal(
        found ? [`order  ${executed}`, `order  ${resting}`, 'orders'].toSorted() : [],
      );
    });
  }
});
