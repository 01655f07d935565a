import { expect } from 'chai';
import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { nameExits } from '../../src/venues/exchange/ledger/exits.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const WALLET = '0x00000000000000000000000000000000000000aa';
const ORDERS = 5_000;
const MOST_ROWS = 4_000; // some of each of the newest 1,000 orders

describe('the names of exits among executions of a wallet with many orders', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(`
      insert into intents (id, kind, owner, request, digest, deadline_at, state, settled_at, outcome, created_at)
      select gen_random_uuid(), 'exchange/place', 'ptn_a', '{"terms": {"size": "1"}}', '', now(), 'succeeded', now(), '{}',
        now() - make_interval(secs => n)
      from generate_series(1, ${ORDERS}) n;
      insert into orders (id, venue, owner, trader, pair, lifecycle, executed, created_at)
      select i.id, 'exvenue', 'ptn_a', '${WALLET}', 'BTC-USDC', 'filled', '{"ex_order_id": "1"}', i.created_at from intents i;
      vacuum analyze`);
  });
  after(() => filled.close());

  /** An order that is older than all others, with a take-profit whose number is 7. */
  async function placeWithExit(lifecycle: string, triggerStatus: string): Promise<string> {
    const id = newIntentId();
    const terms = JSON.stringify({ terms: { size: '1', take_profit: '9' } });
    const executed = JSON.stringify({ tp_order_id: '7', trigger_status: triggerStatus });
    await filled.client.query(
      `insert into intents (id, kind, owner, request, digest, deadline_at, state, settled_at, outcome, created_at)
       values ($1, 'exchange/place', 'ptn_a', $2, '', now(), 'succeeded', now(), '{}', now() - interval '1 day')`,
      [id, terms],
    );
    await filled.client.query(
      `insert into orders (id, venue, owner, trader, pair, lifecycle, executed, created_at)
       values ($1, 'exvenue', 'ptn_a', '${WALLET}', 'BTC-USDC', $2, $3, now() - interval '1 day')`,
      [id, lifecycle, executed],
    );
    return id;
  }

  const fill = (cloid: string, oid: number) => ({ coin: 'BTC', cloid, oid }) as Fill; // as: its other members are copied
  const legsOf = async (...fills: Fill[]) =>
    (await nameExits(filled.db, WALLET, fills)).map(({ exit }) => exit?.leg ?? null);

  it('are reported without reading its history', async () => {
    const { rows } = await filled.client.query('select id from orders order by created_at limit 1');
    const before = await filled.rowsRead();

    const legs = await legsOf(fill(cloidOf(rows[0].id), 1));

    expect(legs).to.deep.equal([null]);
    expect((await filled.rowsRead()) - before).to.be.below(MOST_ROWS);
  });

  it('are known of an old order by the number of its exit', async () => {
    const id = await placeWithExit('filled', 'placed');

    expect(await legsOf(fill(legCloid(id, 'tp'), 7), fill(`0x${'1'.repeat(32)}`, 8))).to.deep.equal(['tp', null]);
  });

  it('are known of an old order that waits for its fill by their client order ids', async () => {
    const id = await placeWithExit('resting', 'pending_parent_fill');

    expect(await legsOf(fill(legCloid(id, 'sl'), 9))).to.deep.equal(['sl']);
  });
});
