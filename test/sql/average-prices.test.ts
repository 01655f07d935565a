import { expect } from 'chai';
import fc from 'fast-check';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { filledBy } from '../../src/venues/exchange/orders/evidence.ts';
import { filledOrders } from '../../src/venues/exchange/portfolio/history.ts';
import type { IntentDatabase } from '../support/intent-database.ts';
import { openPlacement, PLACEMENT } from '../support/placement.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const COMMON = {
  ...{ oid: '7', coin: 'kPEPE', side: 'buy', start_position: '0', closed_pnl: '0', fee: '0', fee_token: 'USDC' },
  ...{ is_liquidation: false, direction: '', leg: null },
};

/** An execution: a size in whole lots, and a price in millionths. */
type Part = { size: number; price: number };
type Line = { quantity: string; price: string };

describe('the average price of an order at the exchange', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openPlacement({ terms: { side: 'long' } });
  });
  after(() => intentDb.close());

  /** Σ size × price ÷ Σ size, to 10 decimals, halves up. */
  function averageOf(parts: Part[]): string {
    const sum = (of: (part: Part) => bigint) => parts.reduce((total, part) => total + of(part), 0n);
    const [worth, size] = [sum((part) => BigInt(part.size) * BigInt(part.price)), sum((part) => BigInt(part.size))];
    const tenBillionths = (2n * worth * 10_000n + size) / (2n * size);
    const digits = String(tenBillionths).padStart(11, '0');
    return `${digits.slice(0, -10)}.${digits.slice(-10)}`.replace(/\.?0+$/, '');
  }

  const sizeOf = (parts: Part[]) => String(parts.reduce((total, { size }) => total + size, 0));
  const textOf = ({ price }: Part) => averageOf([{ size: 1, price }]);

  /** Records executions of a resting order batch by batch. Returns its price after the last one, and its statement lines. */
  async function record(batches: Part[][], state: 'resting' | 'cancelled'): Promise<{ price: string; lines: Line[] }> {
    await intentDb.query(`
      delete from statement_lines;
      delete from exchange_fills;
      delete from exchange_cursors;
      delete from orders;
      insert into exchange_cursors (ex_wallet, read_to, complete_from, due_at) values ('${WALLET}', '-infinity', '-infinity', now());
      insert into orders (id, venue, owner, trader, pair) values ('${PLACEMENT}', 'exvenue', 'ptn_a', '${WALLET}', 'kPEPE-USDC')`);
    const report = {
      ...{ ex_order_id: '7', status: 'open', size: '1000000000000', filled_size: '0', fill_price: null },
      trigger_status: 'not_requested',
    };
    await intentDb.query('select record_exchange_order($1, $2, $3, $4, $5)', [
      ...[PLACEMENT, WALLET, state, JSON.stringify(report), '[]'],
    ]);
    let trade_id = 0;
    for (const batch of batches) {
      const fills = batch.map((part) => ({
        ...{ ...COMMON, trade_id: ++trade_id, price: textOf(part), size: String(part.size) },
        at_ms: Date.UTC(2026, 10, 1) + trade_id,
      }));
      await intentDb.query('select record_exchange_fills($1, $2, $3, true)', [WALLET, JSON.stringify(fills), '[]']);
    }
    const [order] = await intentDb.query<{ price: string }>(`select executed ->> 'fill_price' as price from orders`);
    const lines = await intentDb.query<Line>(
      `select trim_scale(l.quantity)::text as quantity, trim_scale(l.price)::text as price
       from statement_lines l
       where l.kind = 'fill'
       order by l.progress`,
    );
    return { price: String(order?.price), lines };
  }

  const part = fc.record({ size: fc.integer({ min: 1, max: 30_000_000 }), price: fc.integer({ min: 1, max: 99_999 }) });
  const batches = fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });

  for (const state of ['resting', 'cancelled'] as const)
    it(`is that of its executions, and each line of the statement has the size and price of what was added (${state})`, async () => {
      await fc.assert(
        fc.asyncProperty(batches, async (given) => {
          expect(await record(given, state)).to.deep.equal({
            price: averageOf(given.flat()),
            lines: given.map((added) => ({ quantity: sizeOf(added), price: averageOf(added) })),
          });
        }),
        { numRuns: 40 },
      );
    });

  it('is the same from its executions at the exchange, and in the history', async () => {
    const fillOf = (one: Part) =>
      ({
        oid: 7,
        coin: 'kPEPE',
        side: 'buy',
        cloid: null,
        timeMs: 1,
        size: String(one.size),
        price: textOf(one),
      }) as Fill; // as: the rest is not read
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const fills = parts.map(fillOf);
        const [listed] = await filledOrders(fills, new Map(), { fromMs: 0, toMs: 2 });
        expect(filledBy(7, fills).data).to.include({ averagePrice: averageOf(parts) });
        expect(listed?.entry.fill_price).to.equal(averageOf(parts));
      }),
    );
  });
});
