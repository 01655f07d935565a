import { expect } from 'chai';
import { listOrdersBy } from '../../src/capabilities/admin/orders/queries.ts';
import { listRequests, type RequestFilter } from '../../src/capabilities/requests/queries.ts';
import { listLines } from '../../src/capabilities/statements/queries.ts';
import { listDeliveries } from '../../src/capabilities/webhooks/deliveries/queries.ts';
import { listRecordedOrders } from '../../src/venues/network/orders/queries.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const ROWS = 60_000; // every tenth is the large tenant's
const SMALL = 300; // other tenants, with few rows each: what is typical of them is not of the large one
const TIMES = 8; // a plan for any tenant may be kept from the sixth execution on
const PAGE = 100;
const MOST_ROWS = 5 * PAGE;
const NEWEST = { from: null, to: null, cursor: null, limit: PAGE };

/** Ids in the order of `n`. */
const id = (n: string) => `('0190' || lpad(to_hex(${n}), 8, '0') || '70008000000000000000')::uuid`;

/** The number of the tenant of row `n`; the large one is 0. */
const TENANT = `case when n % 10 = 0 then 0 else n * 7919 % ${SMALL} + 1 end`;

const PAST = `
  insert into intents (id, kind, owner, lane, request, digest, deadline_at, state, settled_at, outcome, created_at)
  select ${id('n')}, 'network/place', 'ptn_' || ${TENANT}, null, jsonb_build_object('trader', 't_' || ${TENANT}), '', now(), 'succeeded', now(),
    '{}', now() - make_interval(secs => ${ROWS} - n)
  from generate_series(1, ${ROWS}) n;
  update intents set state = 'queued', settled_at = null, outcome = null where owner = 'ptn_0' and id < ${id(String(10 * PAGE + 1))};
  update intents set state = 'failed' where owner = 'ptn_0' and id > ${id(String(10 * PAGE))} and id < ${id(String(20 * PAGE + 1))};
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, created_at)
  select i.id, 'netvenue', i.owner, 't_' || ${TENANT}, 'BTCUSDC', i.id::text, '{}', 'filled',
    i.created_at
  from generate_series(1, ${ROWS}) n
  join intents i on i.id = ${id('n')};
  insert into statement_lines (id, owner, kind, what, at, reference, pair, side, quantity, price)
  select 'stl_' || n, 'ptn_' || ${TENANT}, 'fill', 'executed', now() - make_interval(secs => ${ROWS} - n), 'r', 'BTCUSDC', 'buy', 1, 1
  from generate_series(1, ${ROWS}) n;
  insert into statement_lines (id, owner, kind, what, at, reference, amount, currency)
  select 'stl_fee_' || n, 'ptn_0', 'fee', 'trading', now() - make_interval(secs => n), 'r', 1, 'USDC'
  from generate_series(1, ${PAGE}) n;
  insert into partners (id, name) select 'ptn_' || n, 'Partner' from generate_series(0, ${SMALL}) n;
  insert into webhook_endpoints (id, owner, url, events) select 'whe_' || n, 'ptn_' || n, 'https://example.com', '{*}' from generate_series(0, ${SMALL}) n;
  insert into events (id, owner, type, position, created_at, data)
  select 'evt_' || lpad(n::text, 5, '0'), 'ptn_' || ${TENANT}, case when n <= 10 * ${PAGE} then 'rare' else 'usual' end, n, now(), '{}'
  from generate_series(1, ${ROWS}) n;
  insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
  select 'whd_' || lpad(n::text, 5, '0'), 'ptn_' || ${TENANT}, 'whe_' || ${TENANT}, 'evt_' || lpad(n::text, 5, '0'), 'delivered', now()
  from generate_series(1, ${ROWS}) n;
  insert into events (id, owner, type, position, created_at, data)
  select 'evt_foreign_' || n, 'ptn_1', 'foreign', n, now(), '{}' from generate_series(1, ${ROWS}) n;
  insert into api_requests (owner, id, at, operation, method, status, code, request_id, caller, ms)
  select 'ptn_' || ${TENANT}, n, now(), case when n <= 10 * ${PAGE} then 'rare' else 'usual' end, 'GET',
    case when n <= 10 * ${PAGE} then 422 else 200 end, case when n <= 10 * ${PAGE} then 'RARE' end, 'req_' || n / (10 * ${PAGE}), 'partner', 1
  from generate_series(1, ${ROWS}) n;
  vacuum analyze`;

/** Lists of a tenant or trader whose rows are a large part of all. */
describe('a page of a list of a large tenant', () => {
  let filled: FilledDatabase;
  let middle: Record<'order' | 'line', string>;
  before(async () => {
    filled = await openFilled(PAST);
    const { rows } = await filled.client.query(`
      select ${id(String(ROWS / 2))} as "order", 'stl_${ROWS / 2}' as line`);
    middle = rows[0];
  });
  after(() => filled.close());

  const orders = (state: 'filled' | 'failed' | null, isBehind: boolean) => () =>
    listRecordedOrders(filled.db, 'ptn_0', 't_0', { state, cursor: isBehind ? middle.order : null, limit: PAGE });

  const lines = (kind: 'fee' | undefined, isBehind: boolean) => () =>
    listLines(filled.db, 'ptn_0', { kind }, { cursor: isBehind ? middle.line : null, limit: PAGE });
  const requests = (filter: RequestFilter) => () =>
    listRequests(filled.db, 'ptn_0', filter, { cursor: null, limit: PAGE });

  const deliveries = (filter: { type: string; status?: 'delivered' }) => () =>
    listDeliveries(filled.db, 'ptn_0', 'whe_0', { ...filter, cursor: null, limit: PAGE });

  const lists: Record<string, () => Promise<readonly unknown[]>> = {
    'orders in the middle of its history': orders(null, true),
    'filled orders in the middle of its history': orders('filled', true),
    'failed orders of long ago': orders('failed', false),
    'failed orders behind the middle of its history': orders('failed', true),
    'orders that are open, for operators': () => listOrdersBy(filled.db, { trader: 't_0', state: 'open', ...NEWEST }),
    'lines from the start of its statement': lines(undefined, false),
    'lines in the middle of its statement': lines(undefined, true),
    'fees in a statement of executions': lines('fee', false),
    'deliveries of a rare type of event': deliveries({ type: 'rare' }),
    'deliveries of a rare type that arrived': deliveries({ type: 'rare', status: 'delivered' }),
    'its newest requests': requests({}),
    'its requests that failed': requests({ failed: true }),
    'its requests that failed with a code': requests({ code: 'RARE' }),
    'its requests of an operation': requests({ operation: 'rare' }),
    'its requests with an id': requests({ request_id: 'req_30' }),
  };
  for (const [name, list] of Object.entries(lists))
    it(`of ${name} reads hardly more rows than it has, however often it is asked for`, async () => {
      const read: number[] = [];
      for (let n = 0; n < TIMES; n += 1) {
        const before = await filled.rowsRead();
        expect(await list()).to.have.length(PAGE);
        read.push((await filled.rowsRead()) - before);
      }

      expect(read.filter((rows) => rows > MOST_ROWS)).to.deep.equal([]);
    });

  it('of deliveries of a type of event that only others have reads hardly any row', async () => {
    const before = await filled.rowsRead();
    expect(await deliveries({ type: 'foreign' })()).to.deep.equal([]);

    expect((await filled.rowsRead()) - before).to.be.at.most(MOST_ROWS);
  });
});
