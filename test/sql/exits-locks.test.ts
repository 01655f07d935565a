import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { noteExits } from '../../src/venues/exchange/orders/store.ts';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const [ORDER, COMMAND, LATER] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]; // as: three
const WALLET = '0x1';
const HOTKEY = 'e_1';
const CANCELLED = `select cancel_exchange_orders('${WALLET}', '{7}')`;
const PLACED = `select record_exchange_exits('${COMMAND}', 'ptn_a', '${WALLET}', 'BTC-USDC', '[]', '{}', '[]')`;

/** By what is written beside it: the verb that a settlement ends, what the other writes, and what the settlement writes then. */
const SCENES: Record<string, [kind: string, other: string | ((db: DbPool) => Promise<unknown>), rest: string]> = {
  'a correction of recorded exits': [
    'exchange/cancel',
    `select correct_exits('[{"id": "${ORDER}", "trigger_status": "failed"}]')`,
    CANCELLED,
  ],
  'exits that are found, and placed again': [
    'exchange/cancel',
    (db) => {
      const placing = item({ kind: 'exchange/protect', lane: `exvenue:${WALLET}`, request: { wallet: WALLET } });
      return noteExits(db, ORDER as never, { trigger_status: 'failed' }, placing as never); // as: ids are texts
    },
    CANCELLED,
  ],
  'exits that a later command cancels': [
    'exchange/protect',
    `select release_exits('${WALLET}', '{9}', '${LATER}', '[{"pair": "BTC-USDC", "order_uuid": "${COMMAND}", "leg": "stop_loss"}]')`,
    PLACED,
  ],
  'exits that a later command ends': [
    'exchange/protect',
    `select end_exits('${WALLET}', 'BTC-USDC', '${LATER}')`,
    PLACED,
  ],
  'an order that is filled once more': [
    'network/close',
    `select record_filled_again('${ORDER}', '{"quantity": 2, "price": 10}')`,
    `select change_orders('[{"id": "${ORDER}", "protection": {"state": "placed"}}]')`,
  ],
};

describe('a settlement, beside what is recorded of orders and exits of the same trader', () => {
  let intentDb: IntentDatabase;
  let pool: DbPool;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    pool = await openPool(intentDb.url, 1, () => {});
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A')`);
  });
  afterEach(async () => {
    await pool.end();
    await intentDb.close();
  });

  /** A command that can be settled, its order or exits, and a later command. */
  async function stage(kind: string): Promise<number> {
    const [venue, trader, pair] = kind.startsWith('network')
      ? ['netvenue', HOTKEY, 'BTCUSDC']
      : ['exvenue', WALLET, 'BTC-USDC'];
    const lane = `${venue}:${trader}`;
    const request = venue === 'netvenue' ? { trader } : { wallet: trader };
    await intentDb.accept(item({ id: COMMAND, kind, lane, request }));
    await intentDb.accept(item({ id: LATER, kind, lane, request }));
    const executed = {
      ...{ ex_order_id: '7', trigger_status: kind === 'exchange/cancel' ? 'placed' : 'none', quantity: 1, price: 10 },
    };
    await intentDb.query(
      `insert into orders (id, venue, owner, trader, pair, terms, lifecycle, executed) values ($1, $2, 'ptn_a', $3, $4, '{}', 'filled', $5)`,
      [ORDER, venue, trader, pair, executed],
    );
    await intentDb.query(
      `insert into exit_plans (trader, pair, leg, version, intent_id, oid) values ($1, $2, 'sl', 0, $3, '9')`,
      [trader, pair, COMMAND],
    );
    await intentDb.query(
      `insert into wanted_exits (venue, trader, pair, owner, wanted, due_at) values ($1, $2, $3, 'ptn_a', $4, now())`,
      [
        venue,
        trader,
        pair,
        JSON.stringify([{ order_uuid: COMMAND, version: 0, take_profit: null, stop_loss: '9', trailing_stop: null }]),
      ],
    );
    return (await intentDb.claim(COMMAND))?.fence ?? 0;
  }

  for (const [name, [kind, other, rest]] of Object.entries(SCENES))
    it(`does not deadlock: ${name}`, async () => {
      const fence = await stage(kind);
      if (typeof other !== 'string')
        await intentDb.query(`update orders set executed = executed || '{"trigger_status": "pending_parent_fill"}'`);
      const settling = await intentDb.session();
      const writing = await intentDb.session();

      await settling.query('begin');
      expect(await settling.settle(COMMAND, fence)).to.equal(true);
      const written = typeof other === 'string' ? writing.query(other) : other(pool);
      written.catch(() => {}); // read below
      await until('the other waits', async () => (await intentDb.query(WAITING)).length > 0);
      await settling.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
      await settling.query(rest);
      await settling.query('commit');

      await written;
    });
});
