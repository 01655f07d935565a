import { expect } from 'chai';
import type { DbPool } from '../../src/db/pool.ts';
import { type Hotkey, newIntentId, type WalletAddress } from '../../src/kernel/ids.ts';
import { listPlannedExits, listReplacedExits } from '../../src/venues/exchange/orders/plans/queries.ts';
import * as exchange from '../../src/venues/exchange/orders/queries.ts';
import { findBusy } from '../../src/venues/exchange/orders/under-way/queries.ts';
import { listHandles, listPlacedOrders, listWantedExits } from '../../src/venues/queries.ts';
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
    const shown = await listPlacedOrders(db, PARTNER, [ids.other], [OID]);

    expect(byNumber.map(({ id }) => id)).to.have.members([ids.first, ids.second]);
    expect(byId.map(({ id }) => id)).to.deep.equal([ids.first]);
    expect([...shown.values()].map(({ id }) => id)).to.not.include(ids.other);
    expect(shown.size).to.be.above(0);
  });

  it('by names and numbers that another owner of the same wallet has given too, or that another wallet’s orders have', async () => {
    const foreign = newIntentId();
    await run(
      `insert into intents (id, kind, owner, state, request, digest, deadline_at, settled_at, outcome)
       values ($1::uuid, 'exchange/place', $2, 'succeeded', '{}', '', now(), now(), '{}')`,
      ...[foreign, OTHER],
    );
    await run(
      `insert into orders (id, venue, owner, trader, pair, handle, terms, executed)
       values ($1::uuid, 'exvenue', $2, $3, 'SOL', $1::uuid::text, '{}', $4)`,
      ...[foreign, OTHER, MY_WALLET, `{"ex_order_id": "${OID}"}`],
    );
    const all = [ids.first, ids.second, ids.other, foreign];

    const named = await exchange.listNamedOrders(db, {
      ...{ owner: PARTNER, wallet: MY_WALLET, oids: [Number(OID)], orderIds: all },
    });
    const handles = await listHandles(db, { owner: PARTNER, trader: MY_WALLET as string as Hotkey }, all); // as: a trader of any venue
    await run('delete from orders where id = $1::uuid', foreign);

    expect(named.map(({ id }) => id)).to.deep.equal([ids.first]);
    expect([...handles.keys()]).to.deep.equal([ids.first]);
  });

  it('the exits that are wanted of one trader', async () => {
    for (const trader of [MY_WALLET, OTHER_WALLET])
      await run(
        `insert into wanted_exits (venue, trader, pair, owner, due_at) values ('exvenue', $1, $1, $2, now())`,
        ...[trader, PARTNER],
      );

    expect((await listWantedExits(db, 'exvenue', MY_WALLET)).map(({ pair }) => pair)).to.deep.equal([MY_WALLET]);
  });

  it('what is under way of a wallet, for how long', async () => {
    const lane = 'exvenue:busy';
    const busy = (wallet: WalletAddress, of = lane) =>
      findBusy(db, { owner: PARTNER, wallet, lane: of, pair: 'XRP', wantedAgoS: 1, lagMs: 1 });
    const open = (age: string) =>
      run(
        `insert into intents (id, kind, owner, lane, state, request, digest, deadline_at, created_at)
         values (gen_random_uuid(), 'exchange/cancel', $1, $2, 'queued', '{}', '', now(), now() - interval '${age}')`,
        ...[PARTNER, lane],
      );
    await run(
      `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
       values (gen_random_uuid(), 'exvenue', $1, $2, 'XRP', 'x', '{}', 'filled', '{"trigger_status": "pending_parent_fill"}')`,
      ...[OTHER, OTHER_WALLET],
    );

    const found = [await busy(MY_WALLET), await busy(OTHER_WALLET)];
    await open('1 minute');
    found.push(await busy(MY_WALLET), await busy(MY_WALLET, 'another'));
    await open('1 second');

    expect([...found, await busy(MY_WALLET)]).to.deep.equal([null, 'recent', 'long', null, 'recent']);
  });

  it('the exits of a wallet', async () => {
    const exits = await listPlannedExits(db, { wallet: MY_WALLET, pair: 'BTC' });

    expect(exits).to.deep.equal([{ leg: 'tp', oid: '88' }]);
  });

  it('the exits that a command of a wallet has replaced', async () => {
    const id = newIntentId();
    await run(
      `update exit_plans set intent_id = $1, replaced = array['87 of ' || trader] where pair = 'BTC' and leg = 'tp'`,
      id,
    );

    const exits = await listReplacedExits(db, { id, wallet: MY_WALLET, pair: 'BTC' });

    expect(exits).to.deep.equal([{ leg: 'tp', oid: `87 of ${MY_WALLET}` }]);
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

  it('the last fills of a wallet', async () => {
    await run(`update orders set lifecycle = 'filled' where id = any(array[$1, $2]::uuid[])`, ids.first, ids.other);
    await run(`update intents set settled_at = now() + interval '1 second' where id = $1`, ids.other);

    const last = await exchange.listLastFilled(db, {
      lane: `exvenue:${MY_WALLET}`,
      wallet: MY_WALLET,
      pair: 'BTC',
      lagMs: LAG_MS,
    });

    expect(last.map(({ id }) => id))
      .to.include(ids.first)
      .and.not.include(ids.other);

    const close = newIntentId();
    const closed = (age: string) =>
      run(
        `insert into intents (id, kind, owner, lane, state, request, digest, deadline_at, settled_at, outcome)
         values ($1::uuid, 'exchange/close', $2, $3, 'succeeded', '{"pair": "SOL"}', '', now(), now() - interval '${age}', '{}')
         on conflict (id) do update set settled_at = excluded.settled_at`,
        ...[close, PARTNER, `exvenue:${MY_WALLET}`],
      );
    const lastOfSol = async () => {
      const of = { lane: `exvenue:${MY_WALLET}`, wallet: MY_WALLET, pair: 'SOL', lagMs: LAG_MS };
      return (await exchange.listLastFilled(db, of)).map(({ id }) => id);
    };
    await closed('2 minutes');
    const old = await lastOfSol();
    await closed('1 second');

    expect([old, await lastOfSol()]).to.deep.equal([[], [close]]);
  });
});
