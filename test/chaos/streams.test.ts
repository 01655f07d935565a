import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { eventually } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { faithfulReader } from '../support/stream.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../support/trading.ts';

/** Dropped connections; the suite drops only a few. */
const DROPS = Number(process.env.STREAM_DROPS ?? 60);
const ORDERS_PER_DROP = 2;
const READERS = 4;

describe('streams whose connections break', function () {
  this.timeout(60_000 + DROPS * 1_000);
  let service: Trading;
  let trader: TestTrader;
  before(async () => {
    service = await startTrading({ settings: { TRADING_WATCH_MS: '200' } });
    trader = await service.propTrader();
  });
  after(() => service.stop());

  it(`miss no event over ${DROPS} drops during a run of orders`, async () => {
    const { api_key } = await trader.key();
    const readers = Array.from({ length: READERS }, () =>
      faithfulReader(`${service.url}${TRADING}/stream`, { 'X-Api-Key': api_key }),
    );
    await eventually(async () => readers.every(({ ledger }) => ledger.length > 0));

    for (let n = 0; n < DROPS; n += READERS) {
      for (const reader of readers) reader.drop();
      const orders = Array.from({ length: ORDERS_PER_DROP }, (_, m) =>
        trader.ask('POST', `${TRADING}/orders`, {
          json: market({
            trade_pair: ['BTCUSDC', 'ETHUSDC', 'SOLUSDC'][(n + m) % 3],
            order_type: n % 8 < 4 ? 'LONG' : 'SHORT',
          }),
          headers: { Prefer: 'wait=0' },
        }),
      );
      await Promise.all(orders);
      await eventually(async () => readers.every((reader) => reader.drops() >= n / READERS + 1));
    }
    const truth = await settledEvents();
    const last = `${trader.account.id}:${truth.at(-1)?.position}`;
    await eventually(async () => readers.every(({ ledger }) => ledger.some(({ id }) => id === last)), 20_000);
    await Promise.all(readers.map((reader) => reader.stop()));

    const reported = readers.map(({ ledger }) => new Set(ledger.map(({ id }) => id)));
    const missed = reported.map(
      (ids) => truth.filter(({ position }) => !ids.has(`${trader.account.id}:${position}`)).length,
    );
    const drops = readers.reduce((sum, reader) => sum + reader.drops(), 0);
    const twice = readers.reduce((sum, { ledger }, n) => sum + ledger.length - (reported[n]?.size ?? 0), 0);
    console.log(
      `      ${drops} drops, ${truth.length} events to ${READERS} readers: ${missed.join(', ')} missed, ${twice} twice`,
    );
    expect(drops).to.be.at.least(DROPS);
    expect(truth.filter(({ type }) => type === 'order')).to.have.length(Math.ceil(DROPS / READERS) * ORDERS_PER_DROP);
    expect(missed).to.deep.equal(readers.map(() => 0));
    for (const { ledger } of readers) {
      const positions = ledger.map(({ id }) => Number(id?.split(':')[1]));
      expect(positions).to.deep.equal([...positions].sort((a, b) => a - b));
    }
  });

  /** Every event of the account after its first snapshot, once nothing is in flight any more. */
  const settledEvents = async () => {
    await eventually(
      async () => !(await service.db.exists(sql.unsafe`select from intents where settled_at is null`)),
      30_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 600)); // the reconciliation that the last order scheduled
    const rows = await service.db.any(sql.type(z.object({ position: z.number(), type: z.string() }))`
      select e.position, e.type
      from account_events e
      where e.prop_account_id = ${trader.account.id}
      order by e.position`);
    return rows.filter(({ type }) => type !== 'account');
  };
});
