import { expect } from 'chai';
import type { Caller, Reply } from '../support/caller.ts';
import { expectUnreadable, linkedWallet, SHORT_TIMEOUTS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const trade = { pair: 'BTC-USDC', side: 'long', size: '0.001', order_type: 'market' };

/** Every read, the venue it depends on, and the owner of the id in its path. */
const reads = [
  ['/v1/balance', 'network', 'subaccount'],
  ['/v1/balance', 'network', 'wallet'],
  ['/v1/balance/ex', 'exchange', 'wallet'],
  ['/v1/balance/spot', 'exchange', 'wallet'],
  ['/v1/balance/limits', 'network', 'subaccount'],
  ['/v1/balance/limits', 'network', 'wallet'],
  ['/v1/positions/netvenue', 'network', 'subaccount'],
  ['/v1/positions/exvenue', 'exchange', 'wallet'],
  ['/v1/rules', 'network', 'subaccount'],
  ['/v1/rules', 'network', 'wallet'],
  ['/v1/rules/pairs', 'network', 'subaccount'],
  ['/v1/rules/pairs', 'network', 'wallet'],
  ['/v1/rules/validate', 'network', 'subaccount'],
  ['/v1/rules/validate', 'exchange', 'wallet'],
  ['/v1/payouts', 'network', 'subaccount'],
  ['/v1/payouts', 'network', 'wallet'],
  ['/v1/payouts/pending', 'network', 'subaccount'],
  ['/v1/history/positions', 'network', 'subaccount'],
  ['/v1/history/positions', 'exchange', 'wallet'],
  ['/v1/history/orders', 'network', 'subaccount'],
  ['/v1/history/orders', 'exchange', 'wallet'],
] as const;

const ask = (caller: Caller, path: string): Promise<Reply> =>
  path.endsWith('/validate') ? caller.post(path, trade) : caller.get(path);

describe('reads of a venue that', () => {
  for (const [what, kind] of [
    ['is down', 'status_500'],
    ['hangs', 'hang'],
    ['breaks off', 'reset'],
    ['talks nonsense', 'html_200'],
    ['stops in the middle', 'cut_json'],
  ] as const) {
    describe(`${what} are 503, never zero or empty:`, () => {
      let service: TestService;
      let callers: Record<'subaccount' | 'wallet', Caller>;
      before(async () => {
        service = await startService({ settings: SHORT_TIMEOUTS });
        callers = { subaccount: await service.trader(), wallet: await linkedWallet(service) };
      });
      after(() => service.stop());

      for (const [path, upstream, whose] of reads) {
        it(`${path} of a ${whose}, by the ${upstream}`, async () => {
          const { faults } = upstream === 'network' ? service.miner : service.exchange;
          faults.add({ kind, route: upstream === 'network' ? '/validator/' : '/info' });

          const reply = await ask(callers[whose], path);

          faults.clear();
          expectUnreadable(reply);
        });
      }
    });
  }
});

describe('reads of a trader', () => {
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  before(async () => {
    service = await startService({ settings: SHORT_TIMEOUTS });
    trader = await service.trader();
  });
  after(() => service.stop());

  const paths = [...new Set(reads.map(([path]) => path))];

  for (const path of paths.filter((candidate) => !/\/ex$|\/spot$|exvenue$/.test(candidate))) {
    it(`${path} of another partner’s subaccount is 404, as of an unknown one`, async () => {
      const outsider = await service.partner();
      const as = (id: string) => ({
        ...outsider,
        get: (p: string) => outsider.get(p, { headers: { 'Trader-ID': id } }),
        post: (p: string, body?: unknown) => outsider.post(p, body, { headers: { 'Trader-ID': id } }),
      });

      const [foreign, unknown] = [await ask(as(trader.traderId), path), await ask(as('99999'), path)];

      for (const reply of [foreign, unknown]) expectProblem(reply, 'V1_TRADER_UNKNOWN', { retryable: false });
    });
  }

  for (const path of paths) {
    it(`${path} rejects an invalid Trader-ID`, async () => {
      const partner = await service.partner();
      const wrong = ['', 'abc', '-1', '1.5', '0x12', `0x${'g'.repeat(40)}`, '1234567890', `${trader.traderId}/..`];

      for (const id of wrong) {
        const headers = { 'Trader-ID': id };
        const reply = path.endsWith('/validate')
          ? await partner.post(path, trade, { headers })
          : await partner.get(path, { headers });

        expectProblem(reply, 'INVALID_REQUEST');
        expect(reply.body.error.fields[0].loc).to.deep.equal(['header', 'Trader-ID']);
      }
    });
  }

  for (const [path, id] of [
    ['/v1/positions/netvenue', `0x${'a'.repeat(40)}`],
    ['/v1/positions/exvenue', '7'],
    ['/v1/balance/ex', '7'],
    ['/v1/balance/spot', '7'],
  ] as const) {
    it(`${path} rejects the id of the other venue`, async () => {
      const partner = await service.partner();

      expectProblem(await partner.get(path, { headers: { 'Trader-ID': id } }), 'INVALID_REQUEST');
    });
  }
});
