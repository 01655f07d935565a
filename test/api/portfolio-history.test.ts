import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const HISTORIES = ['/v1/history/positions', '/v1/history/orders'] as const;
type Entry = { pair?: string; symbol?: string; close_time?: string; created_at: string };

/** The timestamp that orders a history. */
const momentOf = (entry: Entry) => Date.parse(entry.close_time ?? entry.created_at);

/** Every entry of a history, over all its pages. */
async function allPages({ get }: Pick<Caller, 'get'>, first: string): Promise<{ entries: Entry[]; pages: number }> {
  const entries: Entry[] = [];
  let pages = 0;
  for (let path: string | undefined = first; path; pages += 1) {
    const reply = await get(path);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    entries.push(...reply.body);
    path = /^<(.+)>; rel="next"$/.exec(String(reply.headers.link ?? ''))?.[1];
  }
  return { entries, pages };
}

describe('histories', () => {
  let service: TestService;
  let subaccount: Caller;
  let wallet: Caller;
  before(async () => {
    service = await startService();
    subaccount = await service.trader();
    wallet = await service.wallet();
    for (const trade_pair of ['BTCUSDC', 'ETHUSDC', 'BTCUSDC', 'BTCUSDC', 'ETHUSDC']) {
      await subaccount.post('/v1/orders/netvenue', market({ trade_pair }));
      await subaccount.post('/v1/orders/netvenue/close', { trade_pair });
    }
    for (const pair of ['BTC', 'ETH', 'BTC', 'BTC', 'ETH']) {
      await wallet.post('/v1/orders/exvenue', { pair, side: 'long', size: 1, order_type: 'market', leverage: 20 });
      await wallet.post('/v1/orders/exvenue/close', { pair });
    }
    await sleep(STALE_MS);
  });
  after(() => service.stop());

  for (const [venue, whose] of [
    ['the network', () => subaccount],
    ['the exchange', () => wallet],
  ] as const) {
    for (const path of HISTORIES) {
      const count = path.endsWith('orders') ? 10 : 5;

      it(`${path} of ${venue} lists everything, newest first`, async () => {
        const { entries, pages } = await allPages(whose(), path);

        expect(entries).to.have.length(count);
        expect(pages).to.equal(1);
        const moments = entries.map(momentOf);
        expect(moments).to.deep.equal([...moments].sort((a, b) => b - a));
      });

      it(`${path} of ${venue} is paged without gaps and repetitions`, async () => {
        const [whole, parts] = [await allPages(whose(), path), await allPages(whose(), `${path}?limit=2`)];

        expect(parts.entries).to.deep.equal(whole.entries);
        expect(parts.pages).to.equal(Math.ceil(count / 2));
      });

      it(`${path} of ${venue} filters by pair in any spelling`, async () => {
        const spelled = await Promise.all(
          ['BTC-USDC', 'BTC/USDC', 'BTC'].map((pair) => allPages(whose(), `${path}?pair=${encodeURIComponent(pair)}`)),
        );

        for (const { entries } of spelled) {
          expect(entries).to.have.length((count * 3) / 5);
          expect(new Set(entries.map(({ pair, symbol }) => pair ?? symbol))).to.deep.equal(new Set(['BTC-USDC']));
        }
        expect((await allPages(whose(), `${path}?pair=SOL`)).entries).to.deep.equal([]);
      });

      /** When an entry was executed last: an order is accepted before that. */
      const endOf = async (entry: Entry & { order_id?: string }) => {
        const isOrder = venue === 'the exchange' && path.endsWith('orders');
        const order = isOrder ? (await whose().get(`/v1/orders/exvenue/${entry.order_id}`)).body : null;
        return order?.fills.at(-1).time ?? new Date(momentOf(entry)).toISOString();
      };

      it(`${path} of ${venue} filters by time, both bounds included`, async () => {
        const { entries } = await allPages(whose(), path);
        const last = await endOf(entries[0] as Entry);
        const first = new Date(momentOf(entries.at(-1) as Entry)).toISOString();
        const within = async (from: string, to: string) =>
          (await allPages(whose(), `${path}?from_date=${from}&to_date=${to}`)).entries.length;

        expect(await within(first, last)).to.equal(count);
        expect(await within(last, last)).to.be.at.least(1);
        expect(await within('2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z')).to.equal(0);
      });

      it(`${path} of ${venue} takes bounds before 1970 and after all clocks`, async () => {
        const within = async (bounds: string) => (await allPages(whose(), `${path}?${bounds}`)).entries.length;

        expect(await within('from_date=0001-01-01T00:00:00Z')).to.equal(count);
        expect(await within('from_date=0001-01-01T00:00:00Z&to_date=9999-12-31T23:59:59Z')).to.equal(count);
        expect(await within('from_date=2016-12-31T23:59:60Z&to_date=9999-12-31 23:59:59-05')).to.equal(count);
        expect(await within('to_date=1969-12-31T23:59:59.999Z')).to.equal(0);
      });
    }
  }

  for (const path of HISTORIES) {
    for (const [query, name] of [
      ['from_date=2026-01-02T00:00:00Z&to_date=2026-01-01T00:00:00Z', 'from_date'],
      ['from_date=yesterday', 'from_date'],
      ['to_date=2026-01-01', 'to_date'],
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['limit=x', 'limit'],
      ['cursor=nonsense', 'cursor'],
      ['pair=%00', 'pair'],
    ] as const) {
      it(`${path} rejects ${query}`, async () => {
        const reply = await subaccount.get(`${path}?${query}`);

        expectProblem(reply, 'INVALID_REQUEST');
        expect(reply.body.error.fields[0].loc).to.deep.equal(['query', name]);
      });
    }
  }
});
