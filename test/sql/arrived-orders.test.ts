import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { accepted, rejected } from '../../src/kernel/upstream-result.ts';
import { cancel } from '../../src/venues/exchange/orders/cancel.ts';
import { type IntentDatabase, item } from '../support/intent-database.ts';
import { openPlacement, PLACEMENT } from '../support/placement.ts';

const WALLET = '0x1';
const TARGET = { oid: null, cloid: cloidOf(PLACEMENT), coin: 'BTC', isListed: false };

/** The exchange knew nothing of it when everything was cancelled, and its placement has not seen that everything was. */
describe('an order that was in doubt when all orders of its wallet were cancelled', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  beforeEach(async () => {
    intentDb = await openPlacement({ terms: { pair: 'BTC-USDC' } });
    db = await openPool(intentDb.url, 2, () => {});
    await intentDb.query(
      `insert into orders (id, venue, owner, trader, pair) values ($1, 'exvenue', 'ptn_a', $2, 'BTC-USDC')`,
      [PLACEMENT, WALLET],
    );
  });
  afterEach(async () => {
    await db.end();
    await intentDb.close();
  });

  /** Records a cancellation of all orders, and returns the numbers that it has cancelled after that. */
  async function cancelledAfter(): Promise<unknown[]> {
    const request = { wallet: WALLET, oids: 'all' };
    const all = item({ kind: 'exchange/cancel', lane: `exvenue:${WALLET}`, request });
    await intentDb.accept(all);
    const claim = await intentDb.claim(all.id);
    await intentDb.beginSending(all.id, claim?.fence ?? 0);
    const sent = { intent: { ...claim, request }, payload: { targets: [TARGET], skipped: [], unreadDexes: [] } };
    const items = [rejected('order_gone', 'Never placed.')];

    const isRecorded = await cancel.record(
      ...([sent, accepted({ items }), { db }] as unknown as Parameters<typeof cancel.record>), // as: what it reads of them
    );
    expect(isRecorded).to.equal(true);
    const next = await intentDb.query<{ oids: number[] }>(
      `select i.request -> 'oids' as oids from intents i where i.request ->> 'because_of' = $1`,
      [all.id],
    );
    return next.flatMap(({ oids }) => oids);
  }

  it('is cancelled after all, if it has come to rest meanwhile', async () => {
    await intentDb.query(
      `update orders set lifecycle = 'resting', executed = '{"ex_order_id": "7", "status": "open"}'`,
    );

    expect(await cancelledAfter()).to.deep.equal([7]);
  });

  it('is left to its placement, which sees the cancellation, if it may still arrive', async () => {
    expect(await cancelledAfter()).to.deep.equal([]);
  });
});
