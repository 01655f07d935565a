import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { asking, bearer } from '../support/identity.ts';
import { limit, market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const NETVENUE = '/v1/orders/netvenue';
const EXVENUE = '/v1/orders/exvenue';
const MANY = 120_000;
const AT_ONCE = 10_000;
const MB = 1_048_576;

type Line = Record<string, string | null>;

describe('the statement of a partner', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  const linesOf = async (key: string, query = ''): Promise<Line[]> => {
    const { status, body } = await asking(service.url, bearer(key))('GET', `/v1/statements${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const told = (lines: Line[]) =>
    lines.map(({ kind, pair, side, quantity, price }) => [kind, pair, side, quantity, price]);

  it('states each execution at the network once: an order, one that rested, a close', async () => {
    const trader = await service.trader();
    const placed = await trader.post(NETVENUE, market());
    const rests = await trader.post(NETVENUE, limit({ trade_pair: 'SOLUSDC', limit_price: 190, quantity: 5 }));
    await trader.post(NETVENUE, market({ leverage: 0.0404 }));
    service.miner.setPrice('SOLUSDC', 189);
    for (let read = 0; read < 2; read++) await trader.get(`${NETVENUE}/${rests.body.order_uuid}`);
    service.miner.setPrice('SOLUSDC', 200);
    await trader.post(`${NETVENUE}/close`, { trade_pair: 'BTCUSDC' });

    const lines = await linesOf(trader.key);

    expect(lines.map(({ reference, pair, side }) => [reference, pair, side])).to.deep.equal([
      [placed.body.order_uuid, 'BTCUSDC', 'LONG'],
      [rests.body.order_uuid, 'SOLUSDC', 'LONG'],
      [lines[2]?.reference, 'BTCUSDC', 'SHORT'],
    ]);
    expect(Number(lines[0]?.price)).to.equal(placed.body.executed.price);
    expect(Number(lines[0]?.quantity)).to.equal(placed.body.executed.quantity);
    for (const line of lines)
      expect(line).to.include({ kind: 'fill', what: 'executed', venue: 'netvenue', trader_id: trader.traderId });
  });

  it('states each execution at the exchange once, with the fees that it reported', async () => {
    const trader = await service.wallet();
    const order = { pair: 'BTC', side: 'long', size: '0.01' };
    await trader.post(EXVENUE, { ...order, order_type: 'market' });
    const rests = await trader.post(EXVENUE, { ...order, order_type: 'limit', price: 99_000 });
    service.exchange.setMid('BTC', '98900');
    for (let run = 0; run < 2; run++) await readWallets(service);
    await trader.post(`${EXVENUE}/close`, { pair: 'BTC' });
    for (let run = 0; run < 2; run++) await readWallets(service);

    const lines = await linesOf(trader.key);
    const recorded = await service.db.any(sql.type(z.object({ trade_id: z.string(), fee: z.string() }))`
      select f.trade_id::text, trim_scale(f.fee)::text as fee
      from exchange_fills f
      where f.ex_wallet = ${trader.wallet}
      order by f.trade_id`);

    const fills = lines.filter(({ kind }) => kind === 'fill');
    expect(told(fills).map(([, ...rest]) => rest.slice(0, 3))).to.deep.equal([
      ['BTC-USDC', 'long', '0.01'],
      ['BTC-USDC', 'long', '0.01'],
      ['BTC-USDC', 'short', '0.02'],
    ]);
    expect(fills[1]).to.include({ reference: rests.body.order_id, price: '98900', trader_id: trader.wallet });
    expect(String(fills[1]?.id).slice(4, 16)).to.equal(rests.body.order_id.replaceAll('-', '').slice(0, 12)); // stored beside others of its time
    expect(recorded).to.have.length(3);
    const fees = lines.filter(({ kind }) => kind === 'fee');
    expect(fees.map(({ reference, amount }) => [reference, amount])).to.have.deep.members(
      recorded.map(({ trade_id, fee }) => [trade_id, fee]),
    );
    for (const fee of fees) expect(fee).to.include({ what: 'trading', currency: 'USDC', trader_id: trader.wallet });
  });

  it('is read in pages, by kind and by time, and shows nothing of others', async () => {
    const trader = await service.trader();
    for (const trade_pair of ['BTCUSDC', 'ETHUSDC', 'SOLUSDC']) await trader.post(NETVENUE, market({ trade_pair }));
    const ask = asking(service.url, bearer(trader.key));
    const all = await linesOf(trader.key);

    const first = await ask('GET', '/v1/statements?limit=2');
    const next = await ask('GET', /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    const other = await service.trader();

    expect([...first.body, ...next.body]).to.deep.equal(all);
    expect(next.headers.get('link')).to.equal(null);
    expect(await linesOf(trader.key, '?kind=fee')).to.deep.equal([]);
    const { at } = all[1] as Line;
    const [from, to] = [`?from=${encodeURIComponent(String(at))}`, `?to=${encodeURIComponent(String(at))}`];
    expect([...(await linesOf(trader.key, to)), ...(await linesOf(trader.key, from))]).to.deep.equal(all);
    expect(await linesOf(other.key)).to.deep.equal([]);
    for (const Accept of ['application/json', 'text/csv'])
      for (const cursor of [all[0]?.id, 'stl_nobodys']) {
        const { status } = await fetch(`${service.url}/v1/statements?cursor=${cursor}`, {
          headers: { ...bearer(other.key), Accept },
        });
        expect(status, `${cursor} ${Accept}`).to.equal(422);
      }
  });

  const csvOf = (key: string, Accept = 'text/csv'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { ...bearer(key), Accept };
      get(`${service.url}/v1/statements`, { agent: false, headers }, resolve).once('error', reject);
    });
  const textOf = async (response: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return text;
  };

  it('is CSV where the caller accepts it, with the members of the pages as columns', async () => {
    const trader = await service.trader();
    await trader.post(NETVENUE, market());
    await service.db.query(sql.unsafe`
      insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, amount, currency)
      select 'stl_formula', p.partner_id, 'fee', 'trading', now(), 'exvenue', '=cmd()', '1', 'A,"B"', -0.5, 'USDC'
      from partner_keys p
      where p.hint = ${trader.key.slice(0, 8)} and p.revoked_at is null
      order by p.created_at desc
      limit 1`);
    const lines = await linesOf(trader.key);

    const response = await csvOf(trader.key);
    const [head, ...rows] = (await textOf(response)).split('\r\n');

    expect(response.headers['content-type']).to.equal('text/csv; charset=utf-8; header=present');
    for (const accepted of ['text/csv; charset=utf-8', 'text/csv; header=present'])
      expect(await textOf(await csvOf(trader.key, accepted)), accepted).to.match(/^id,/);
    expect(response.headers['content-disposition']).to.equal('attachment; filename="statement.csv"');
    expect(head?.split(',')).to.have.members(Object.keys(lines[0] as Line));
    expect(rows).to.have.length(lines.length + 1);
    expect(rows.at(-2)).to.include(`'=cmd(),1,"A,""B""",,,,-0.5,USDC`);
  });

  describe('that is long', () => {
    let key: string;
    before(async () => {
      const trader = await service.trader();
      key = trader.key;
      await trader.post(NETVENUE, market());
      for (let from = 0; from < MANY; from += AT_ONCE)
        await service.db.query(sql.unsafe`
          insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, quantity, price)
          select 'stl_' || n, l.owner, 'fill', 'executed', l.at + n * interval '1 ms', 'netvenue', l.account,
            repeat('x', 1200) || n, l.pair, 1, 1
          from (
            select *
            from statement_lines
            where account = ${trader.traderId} and pair = 'BTCUSDC'
            order by at
            limit 1
          ) l, generate_series(${from + 1}::int, ${from + AT_ONCE}::int) n`);
    });

    it('is sent whole, in memory that does not grow with it', async function () {
      this.timeout(120_000);
      const response = await csvOf(key);
      let [bytes, most] = [0, 0];
      const before = process.memoryUsage();
      for await (const chunk of response) {
        bytes += chunk.length;
        const now = process.memoryUsage();
        most = Math.max(most, now.external + now.arrayBuffers - before.external - before.arrayBuffers);
      }

      expect(bytes).to.be.above(140 * MB);
      expect(most).to.be.below(64 * MB); // buffers that were not collected yet
    });

    it('breaks off where a read fails: it is never taken for the whole', async () => {
      const response = await csvOf(key);
      response.pause();
      await service.db.query(sql.unsafe`alter table statement_lines rename to statement_lines_away`);
      try {
        response.resume();
        const fault = await textOf(response).then(
          () => null,
          (error) => error.code,
        );

        expect(fault).to.equal('ECONNRESET');
      } finally {
        await service.db.query(sql.unsafe`alter table statement_lines_away rename to statement_lines`);
      }
    });

    it('breaks off once its partner is disabled, or its key is revoked', async () => {
      for (const [ended, restored] of [
        [sql.fragment`partners set disabled_at = now()`, sql.fragment`partners set disabled_at = null`],
        [sql.fragment`partner_keys set revoked_at = now()`, sql.fragment`partner_keys set revoked_at = null`],
      ] as const) {
        const response = await csvOf(key);
        response.pause();
        await service.db.query(sql.unsafe`update ${ended}`);

        const fault = await textOf(response).then(
          () => null,
          (error) => error.code,
        );
        await service.db.query(sql.unsafe`update ${restored}`);

        expect(fault).to.equal('ECONNRESET');
      }
    });

    it('takes one of a few slots of its owner, and gives it back', async () => {
      const open = await Promise.all(Array.from({ length: 11 }, () => csvOf(key)));
      for (const response of open) response.pause();
      const statuses = open.map(({ statusCode }) => statusCode);
      for (const response of open) response.destroy();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const again = await csvOf(key);
      again.destroy();

      expect(statuses.filter((status) => status === 200)).to.have.length(10);
      expect(statuses.filter((status) => status === 429)).to.have.length(1);
      expect(again.statusCode).to.equal(200);
    });

    it('is read no further than its reader reads', async () => {
      const response = await csvOf(key);
      response.pause();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await service.db.query(sql.unsafe`delete from statement_lines`);

      const lines = (await textOf(response)).split('\r\n').length;

      expect(lines).to.be.within(1_000, MANY / 4); // what the sockets hold
    });
  });
});
