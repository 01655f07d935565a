import { expect } from 'chai';
import type { DbPool } from '../../src/db/pool.ts';
import { newIntentId, type WalletAddress } from '../../src/kernel/ids.ts';
import * as exchange from '../../src/venues/exchange/orders/queries.ts';
import { listPlacedOrders } from '../../src/venues/queries.ts';
import { MY_SECOND, MY_WALLET, OTHER, OTHER_WALLET, openRows, PARTNER, type Rows } from '../support/rows.ts';

const LAG_MS = 60_000;
const OID = '77';

describe('what is read of exchange orders for one owner or wallet', () => {
  let rows: Rows;
  let db: DbPool;
  const run: Rows['run'] = (...args) => rows.run(...args);
  const ids = { first: newIntentId(), other: newIntentId(), second: newIntentId() };
  before(async () => {
    rows = await openRows();
    db = rows.db;
    const orders = [
      [ids.first, PARTNER, MY_WALLET],
      [ids.other, OTHER, OTHER_WALLET],
      [ids.second, PARTNER, MY_SECOND],
    ] as const;
    for (const [id, owner, trader] of orders) {
      await run(
        `insert into intents (id, kind, owner, lane, state, request, digest, deadline_at, settled_at, outcome)
         values ($1::uuid, 'exchange/place', $2, 'exvenue:' || $3::text, 'succeeded', '{}', '', now(), now(), '{}')`,
        ...[id, owner, trader],
      );
      const executed = `{"ex_order_id": "${OID}", "trigger_status": "pending_parent_fill"}`;
      await run(
        `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
         values ($1::uuid, 'exvenue', $2, $3, 'BTC', $1::uuid::text, '{"pair": "BTC"}', 'resting', $4)`,
        ...[id, owner, trader, executed],
      );
      await run(
        `insert into exit_plans (trader, pair, leg, version, intent_id, oid) values ($1::text, 'BTC', 'tp', 1, $2, '88')`,
        ...[trader, id],
      );
    }
  });

  after(() => rows.close());

  it('by the id or number of an order', async () => {
    const byNumber = await exchange.listExchangeOrders(db, PARTNER, [], [OID]);
    const byId = await exchange.listExchangeOrders(db, PARTNER, [ids.first, ids.other]);
    const shown = await listPlacedOrders(db, PARTNER, 'exvenue', [ids.other], [OID]);

    expect(byNumber.map(({ id }) => id)).to.have.members([ids.first, ids.second]);
    expect(byId.map(({ id }) => id)).to.deep.equal([ids.first]);
    expect([...shown.values()].map(({ id }) => id)).to.not.include(ids.other);
    expect(shown.size).to.be.above(0);
  });

  it('the exits of a wallet', async () => {
    const exits = await exchange.listPlannedExits(db, { wallet: MY_WALLET, pair: 'BTC' });

    expect(exits).to.deep.equal([{ leg: 'tp', oid: '88' }]);
  });

  it('what a wallet may have resting, now or by its numbers', async () => {
    const lane = `exvenue:${MY_WALLET}`;
    const recorded = await exchange.listRecordedResting(db, { wallet: MY_WALLET, lane, lagMs: LAG_MS });
    const resting = await exchange.findResting(db, MY_WALLET, [Number(OID), 88]);

    expect(recorded.map(({ oid }) => oid)).to.have.members([77, 88]);
    expect(resting.map(({ oid }) => oid)).to.have.members([77, 88]);
  });

  it('exits that wait for the fill of a wallet’s order', async () => {
    const waiting = newIntentId();
    await run(
      `insert into orders (id, venue, owner, trader, pair, handle, terms, executed)
       values ($1::uuid, 'exvenue', '${OTHER}', '${OTHER_WALLET}', 'ETH', $1::uuid::text, '{"take_profit": "1"}', '{"trigger_status": "pending_parent_fill"}')`,
      waiting,
    );
    const resting = (of: WalletAddress) =>
      exchange.listRecordedResting(db, { wallet: of, lane: `exvenue:${of}`, lagMs: LAG_MS });

    expect((await resting(MY_WALLET)).map(({ pair }) => pair)).to.not.include('ETH');
    expect((await resting(OTHER_WALLET)).map(({ pair }) => pair)).to.include('ETH');
  });

  it('the last fill of a wallet', async () => {
    await run(`update orders set lifecycle = 'filled' where id = any(array[$1, $2]::uuid[])`, ids.first, ids.other);
    await run(`update intents set settled_at = now() + interval '1 second' where id = $1`, ids.other);

    const last = await exchange.findLastFilled(db, {
      lane: `exvenue:${MY_WALLET}`,
      wallet: MY_WALLET,
      pair: 'BTC',
      lagMs: LAG_MS,
    });

    expect(last?.id).to.equal(ids.first);
  });
});
