import { expect } from 'chai';
import { type DbSession, type IntentDatabase, WAITING } from '../support/intent-database.ts';
import { openPlacement, PLACEMENT } from '../support/placement.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const FILL = {
  ...{ trade_id: 1, oid: '7', coin: 'BTC', side: 'buy', price: '100', size: '2', start_position: '0', closed_pnl: '0' },
  ...{ fee: '0.05', fee_token: 'USDC', is_liquidation: false, at_ms: Date.UTC(2026, 10, 1), direction: '', leg: null },
};
const REPORT = { ex_order_id: '7', status: 'filled', size: '2', filled_size: '2', trigger_status: 'none' };

describe('executions that are recorded at the same time as the order that they are of', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openPlacement({ terms: { side: 'long' } });
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query(`
      delete from statement_lines;
      delete from exchange_fills;
      delete from exchange_cursors;
      delete from orders;
      insert into exchange_cursors (ex_wallet, read_to, complete_from, due_at) values ('${WALLET}', '-infinity', '-infinity', now());
      insert into orders (id, venue, owner, trader, pair) values ('${PLACEMENT}', 'exvenue', 'ptn_a', '${WALLET}', 'BTC-USDC')`),
  );

  const recordFill = (db: DbSession) =>
    db.query('select record_exchange_fills($1, $2, $3, true)', [WALLET, JSON.stringify([FILL]), '[]']);
  const recordOrder = (db: DbSession, report: object, state = 'filled') =>
    db.query('select record_exchange_order($1, $2, $3, $4, $5)', [
      PLACEMENT,
      WALLET,
      state,
      JSON.stringify(report),
      '[]',
    ]);

  /** Has one transaction commit after the other one has waited for it, or has ended. */
  async function atOnce(first: (db: DbSession) => Promise<unknown>, second: (db: DbSession) => Promise<unknown>) {
    const [one, other] = [await intentDb.session(), await intentDb.session()];
    await one.query('begin');
    await first(one);
    let hasEnded = false;
    const late = second(other).finally(() => {
      hasEnded = true;
    });
    while (!hasEnded && (await intentDb.query(WAITING)).length === 0);
    await one.query('commit');
    await late;
  }
  const lines = () =>
    intentDb.query(
      `select l.kind, trim_scale(coalesce(l.price, l.amount))::text as worth from statement_lines l order by l.kind`,
    );

  it('state the fee of an order whose record waits for them', async () => {
    await atOnce(recordFill, (db) => recordOrder(db, { ...REPORT, fill_price: '100' }));
    expect(await lines()).to.deep.equal([{ kind: 'fee', worth: '0.05' }]);
  });

  it('state the fee of an order that was recorded a moment before', async () => {
    await atOnce((db) => recordOrder(db, { ...REPORT, fill_price: '100' }), recordFill);
    expect(await lines()).to.deep.equal([{ kind: 'fee', worth: '0.05' }]);
  });

  it('price an order that was found filled without its price', async () => {
    const expected = [
      { kind: 'fee', worth: '0.05' },
      { kind: 'fill', worth: '100' },
    ];
    await atOnce(recordFill, (db) => recordOrder(db, { ...REPORT, fill_price: null }));
    expect(await lines()).to.deep.equal(expected);
  });

  for (const [what, size, state] of [
    ['a part', '5', { lifecycle: 'resting', status: 'partial' }],
    ['all', '2', { lifecycle: 'filled', status: 'filled' }],
  ] as const)
    it(`are those of an order that was found to rest, and of which they fill ${what}`, async () => {
      const report = { ...REPORT, size, status: 'open', filled_size: '0', fill_price: null };
      await atOnce(recordFill, (db) => recordOrder(db, report, 'resting'));
      const [order] = await intentDb.query<object>(
        `select lifecycle, executed ->> 'status' as status, executed ->> 'filled_size' as filled, executed ->> 'fill_price' as price from orders`,
      );
      expect(order).to.deep.equal({ ...state, filled: '2', price: '100' });
      expect(await lines()).to.deep.equal([
        { kind: 'fee', worth: '0.05' },
        { kind: 'fill', worth: '100' },
      ]);
    });

  it('leave what was found of its exits meanwhile', async () => {
    await recordOrder(intentDb, { ...REPORT, fill_price: null, trigger_status: 'pending_parent_fill' });
    await atOnce(
      (db) => db.query(`update orders set executed = executed || '{"trigger_status": "placed"}'`),
      recordFill,
    );
    const [order] = await intentDb.query<object>(
      `select executed ->> 'fill_price' as price, executed ->> 'trigger_status' as exits from orders`,
    );
    expect(order).to.deep.equal({ price: '100', exits: 'placed' });
  });

  it('are those of an order that is cancelled at that moment', async () => {
    const report = { ...REPORT, size: '5', status: 'open', filled_size: '0', fill_price: null };
    await intentDb.query('select record_exchange_order($1, $2, $3, $4, $5)', [
      ...[PLACEMENT, WALLET, 'resting', JSON.stringify(report), '[]'],
    ]);
    await atOnce((db) => db.query('select cancel_exchange_orders($1, $2)', [WALLET, ['7']]), recordFill);
    const [order] = await intentDb.query<object>(
      `select lifecycle, executed ->> 'status' as status, executed ->> 'filled_size' as filled, executed ->> 'fill_price' as price from orders`,
    );
    expect(order).to.deep.equal({ lifecycle: 'cancelled', status: 'cancelled', filled: '2', price: '100' });
    expect(await lines()).to.deep.equal([
      { kind: 'fee', worth: '0.05' },
      { kind: 'fill', worth: '100' },
    ]);
  });

  it('are those of an order that was recorded after them and is cancelled before others are', async () => {
    const report = { ...REPORT, size: '5', status: 'open', filled_size: '0', fill_price: null };
    await recordFill(intentDb);
    await intentDb.query('select record_exchange_order($1, $2, $3, $4, $5)', [
      ...[PLACEMENT, WALLET, 'resting', JSON.stringify(report), '[]'],
    ]);
    await intentDb.query('select cancel_exchange_orders($1, $2)', [WALLET, ['7']]);
    await intentDb.query('select record_exchange_fills($1, $2, $3)', [WALLET, JSON.stringify([FILL]), '[]']);
    const [order] = await intentDb.query<object>(
      `select lifecycle, executed ->> 'filled_size' as filled, executed ->> 'fill_price' as price from orders`,
    );
    expect(order).to.deep.equal({ lifecycle: 'cancelled', filled: '2', price: '100' });
    expect(await lines()).to.deep.equal([
      { kind: 'fee', worth: '0.05' },
      { kind: 'fill', worth: '100' },
    ]);
  });
});
