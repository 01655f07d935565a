import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

type Row = { pair?: string; symbol?: string; order_id?: string };
type Page = { rows: Row[]; next: string };

describe('a list whose rows end while it is read page by page', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function read({ get }: Pick<Caller, 'get'>, path: string): Promise<Page> {
    const { status, body, headers } = await get(path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return { rows: body, next: /^<(.+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1] ?? '' };
  }
  const listed = (reader: Pick<Caller, 'get'>, path: string, count: number) =>
    until(`${count} in ${path}`, async () => (await read(reader, path)).rows.length === count || null);
  const nameOf = ({ symbol, pair }: Row) => symbol ?? pair;

  it('goes on behind an open order at the exchange that was cancelled', async () => {
    const trader = await service.wallet();
    for (const [pair, price] of [
      ['BTC', '50000'],
      ['ETH', '1000'],
      ['SOL', '50'],
    ])
      await trader.post('/v1/orders/exvenue', { pair, side: 'long', size: 1, order_type: 'limit', price });
    await listed(trader, '/v1/orders/exvenue', 3);
    const first = await read(trader, '/v1/orders/exvenue?limit=1');
    await trader.delete(`/v1/orders/exvenue/${first.rows[0]?.order_id}`);
    await listed(trader, '/v1/orders/exvenue', 2);

    const second = await read(trader, first.next);
    const third = await read(trader, second.next);

    expect([first, second, third].flatMap(({ rows }) => rows.map(nameOf))).to.deep.equal([
      'SOL-USDC',
      'ETH-USDC',
      'BTC-USDC',
    ]);
    expect(third.next).to.equal('');
  });

  for (const [venue, ordered, trader] of [
    ['exvenue', { side: 'long', size: 1, order_type: 'market' }, () => service.wallet()],
    ['netvenue', market(), () => service.trader()],
  ] as const)
    it(`goes on behind a position at ${venue} that was closed`, async () => {
      const reader = await trader();
      const [positions, member, names] =
        venue === 'exvenue'
          ? ['/v1/positions/exvenue', 'pair', ['BTC', 'ETH', 'SOL']]
          : ['/v1/positions/netvenue', 'trade_pair', ['BTCUSDC', 'ETHUSDC', 'SOLUSDC']];
      for (const name of names) await reader.post(`/v1/orders/${venue}`, { ...ordered, [member]: name });
      await listed(reader, positions, 3);
      const whole = await read(reader, positions);
      const first = await read(reader, `${positions}?limit=1`);
      const closed = names.find((name) => nameOf(first.rows[0] as Row)?.startsWith(name.slice(0, 3)));
      await reader.post(`/v1/orders/${venue}/close`, { [member]: closed });
      await listed(reader, positions, 2);

      const second = await read(reader, first.next);
      const third = await read(reader, second.next);

      expect([first, second, third].flatMap(({ rows }) => rows.map(nameOf))).to.deep.equal(whole.rows.map(nameOf));
      expect(third.next).to.equal('');
    });
});
