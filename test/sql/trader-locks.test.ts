import { expect } from 'chai';
import { type DbSession, type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const TRADER = 'e_1';
const EXITS = '[{"stop_loss": "90"}]';

describe('a settlement, beside what changes orders of the same trader', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A')`);
  });
  afterEach(() => intentDb.close());

  /** An order that is being sent. */
  async function sending(): Promise<{ id: string; fence: number }> {
    const one = item({ lane: `netvenue:${TRADER}:BTCUSDC`, request: { trader: TRADER, terms: {} } });
    await intentDb.accept(one);
    await intentDb.query(
      `insert into orders (id, owner, venue, trader, pair, terms, lifecycle) values ($1, 'ptn_a', 'netvenue', $2, 'BTCUSDC', '{}', 'resting')`,
      [one.id, TRADER],
    );
    const claim = await intentDb.claim(one.id);
    await intentDb.beginSending(one.id, claim?.fence ?? 0);
    return { id: one.id, fence: claim?.fence ?? 0 };
  }

  const change = (session: DbSession, id: string) =>
    session.query(
      'select change_orders(jsonb_build_array(jsonb_build_object($1::text, $2::text, $3::text, $4::jsonb)))',
      [...['id', id, 'exits', EXITS]],
    );

  it('does not deadlock with a read that has the same order and its wanted exits to record', async () => {
    const { id, fence } = await sending();
    await change(intentDb, id);
    const [settling, reading] = [await intentDb.session(), await intentDb.session()];

    await settling.query('begin');
    expect(await settling.settle(id, fence)).to.equal(true);
    const read = change(reading, id);
    read.catch(() => {}); // read below
    await until('the read waits', async () => (await intentDb.query(WAITING)).length > 0);
    await change(settling, id);
    await settling.query('commit');

    await read;
  });

  it('does not deadlock with another settlement, where the first exits came between the two', async () => {
    const [first, second] = [await sending(), await sending()];
    const [one, other] = [await intentDb.session(), await intentDb.session()];

    await one.query('begin');
    expect(await one.settle(first.id, first.fence)).to.equal(true);
    const inserted = change(await intentDb.session(), first.id);
    inserted.catch(() => {}); // read below
    await Promise.race([inserted, until('it waits', async () => (await intentDb.query(WAITING)).length > 0)]);
    const settled = other.settle(second.id, second.fence);
    settled.catch(() => {}); // read below
    await until('the other settlement waits', async () => (await intentDb.query(WAITING)).length > 0);
    await change(one, first.id);
    await one.query('commit');

    expect(await settled).to.equal(true);
    await inserted;
  });
});
