import { expect } from 'chai';
import { sql } from 'slonik';
import { listFillsOfOrders } from '../../src/venues/exchange/ledger/queries.ts';
import { takeDueWallets } from '../../src/venues/exchange/ledger/store.ts';
import * as orders from '../../src/venues/exchange/orders/queries.ts';
import { listOrdersWithExits } from '../../src/venues/network/orders/queries.ts';
import { listOwnOrders } from '../../src/venues/network/portfolio/queries.ts';
import { listHandles, listPlacedOrders } from '../../src/venues/queries.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const OWN = 8_000; // orders of the large wallet, with an execution each
const SMALL = 4_000; // other wallets, with two orders each: what is typical of them is not of the large one
const TIMES = 8; // a plan for any wallet may be kept from the sixth execution on
const MOST_ROWS = 100;
const WALLET = '0xw';
const PARTNER = 'ptn_0';

const id = (n: string) => `('0190' || lpad(to_hex(${n}), 8, '0') || '70008000000000000000')::uuid`;

/** The wallet of row `n`: the large one has the first, the others two each. */
const OWNER_OF = `case when n <= ${OWN} then '${PARTNER}' else 'ptn_1' end`;
const WALLET_OF = `case when n <= ${OWN} then '${WALLET}' else '0x' || n % ${SMALL} end`;
const ALL = OWN + 2 * SMALL;

const PAST = `
  insert into partners (id, name) values ('${PARTNER}', 'Large'), ('ptn_1', 'Other');
  insert into enrollments (owner, ex_wallet)
  select 'ptn_1', '0x' || n from generate_series(0, ${SMALL - 1}) n union all select '${PARTNER}', '${WALLET}';
  insert into intents (id, kind, owner, lane, request, digest, deadline_at, state, settled_at, outcome)
  select ${id('n')}, 'exchange/place', ${OWNER_OF}, 'exvenue:' || ${WALLET_OF}, jsonb_build_object('wallet', ${WALLET_OF}), '', now(),
    'succeeded', now(), '{}'
  from generate_series(1, ${ALL}) n;
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed, created_at)
  select ${id('n')}, 'exvenue', ${OWNER_OF}, ${WALLET_OF}, 'BTC', n::text, '{"side": "buy"}', 'filled',
    jsonb_build_object('ex_order_id', n::text, 'size', '1', 'filled_size', '1', 'fill_price', '1', 'status', 'filled'),
    now() - make_interval(secs => ${ALL} - n)
  from generate_series(1, ${ALL}) n;
  insert into exchange_fills (ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, filled_at)
  select ${WALLET_OF}, n, n::text, 'BTC', 'buy', 1, 1, 0, 0, 0.1, 'USDC', false, now() - make_interval(secs => ${ALL} - n)
  from generate_series(1, ${ALL}) n;
  insert into exchange_cursors (ex_wallet, read_to, due_at)
  select '0x' || n, now(), 'infinity' from generate_series(0, ${SMALL - 1}) n union all select '${WALLET}', now(), now();
  vacuum analyze`;

describe('a statement about one order of a wallet that has many', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(PAST);
  });
  after(() => filled.close());

  const OID = OWN / 2;
  const uuid = `0190${OID.toString(16).padStart(8, '0')}70008000000000000000`.replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    '$1-$2-$3-$4-$5',
  );
  let trade = ALL;
  const executed = () =>
    JSON.stringify([
      {
        trade_id: ++trade,
        oid: String(OID),
        coin: 'ETH',
        side: 'buy',
        price: '1',
        size: '1',
        start_position: '0',
        closed_pnl: '0',
        fee: '0.1',
        fee_token: 'USDC',
        is_liquidation: false,
        at_ms: Date.now(),
        direction: 'Open Long',
      },
    ]);
  const call = (fragment: ReturnType<typeof sql.unsafe>) => () => filled.db.any(fragment);

  const statements: Record<string, () => Promise<unknown>> = {
    'its recorded executions': () =>
      filled.db.any(sql.unsafe`select record_exchange_fills(${WALLET}, ${executed()}, '[]', true)`),
    'its cancellation': call(sql.unsafe`select cancel_exchange_orders(${WALLET}, array[${String(OID)}])`),
    'its exits': call(sql.unsafe`select release_exits(${WALLET}, array[${String(OID)}], ${uuid}::uuid)`),
    'its fees': call(sql.unsafe`select state_fees(${WALLET}, array[${String(OID)}])`),
    'the wallets that are due': async () => {
      await filled.db.query(sql.unsafe`update exchange_cursors set due_at = now() where ex_wallet = ${WALLET}`);
      return takeDueWallets(filled.db, 20, { busyS: 5, idleS: 60 });
    },
    'an order by its number': () => orders.listExchangeOrders(filled.db, PARTNER as never, [], [String(OID)]),
    'an order by its id': () => orders.listExchangeOrders(filled.db, PARTNER as never, [uuid as never]),
    'the target of a command': () =>
      orders.listNamedOrders(filled.db, {
        owner: PARTNER as never,
        wallet: WALLET as never,
        oids: [OID],
        orderIds: [uuid as never],
      }),
    'an order of whoever': () => orders.listOfWallet(filled.db, WALLET as never, { oids: [OID], ids: [uuid] }),
    'a placed order': () => listPlacedOrders(filled.db, PARTNER as never, [uuid], [String(OID)]),
    'an order that rests': () => orders.findResting(filled.db, WALLET as never, [OID]),
    'its part of a history': () => listFillsOfOrders(filled.db, WALLET as never, [OID]),
    'an order of a trader in its history': () => listOwnOrders(filled.db, PARTNER as never, WALLET as never, [uuid]),
    'an order of a trader with its exits': () => listOrdersWithExits(filled.db, WALLET as never, [uuid]),
    'the handle of an order of a trader': () =>
      listHandles(filled.db, { owner: PARTNER as never, trader: WALLET as never }, [uuid as never]),
    'orders that came to rest': () => orders.listNewlyResting(filled.db, PARTNER as never, WALLET as never, 60_000),
  };
  for (const [name, run] of Object.entries(statements))
    it(`reads few rows: ${name}`, async () => {
      const read: number[] = [];
      for (let n = 0; n < TIMES; n += 1) {
        const before = await filled.rowsRead();
        await run();
        read.push((await filled.rowsRead()) - before);
      }

      expect(read.filter((rows) => rows > MOST_ROWS)).to.deep.equal([]);
    });
});
