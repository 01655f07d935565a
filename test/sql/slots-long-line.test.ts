import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

const SLOTS = 40;
const FREED = 20;
const SHORT = 60;
const LONG = 240;

/** A session keeps the plans that it made while the tables were empty. More wait than there are slots. */
describe('slots that are given back while a line waits for them, in a database that is new', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase({ ownPlans: true });
  });
  afterEach(() => intentDb.close());

  const { begin, claimed, queuedNow } = slotsOf(() => intentDb);

  async function rowsRead(): Promise<number> {
    await intentDb.query('select pg_stat_force_next_flush()');
    const [row] = await intentDb.query<{ count: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count
       from pg_stat_user_tables
       where relname in ('intents', 'upstream_slots')`,
    );
    return row?.count ?? 0;
  }

  /** Rows read per slot that is handed to the next, when many requests end in one statement. */
  async function rowsReadPerSlot(inLine: number): Promise<number> {
    const sent: { id: string; fence: number }[] = [];
    for (let n = 0; n < SLOTS + inLine; n += 1) {
      const { id, fence } = await claimed();
      if ((await begin(id, fence, { slots: SLOTS })) === 'sent') sent.push({ id, fence });
    }
    expect(sent).to.have.lengthOf(SLOTS);
    const before = await rowsRead();
    await intentDb.query(
      `with settled as materialized (
         select r.id, settle_intent(r.id, r.fence, 'succeeded', '{}') from jsonb_to_recordset($1) as r (id uuid, fence integer)
       )
       select emit_ended(array_agg(id), '{}')::text from settled`,
      [JSON.stringify(sent.slice(0, FREED))],
    );
    const after = await rowsRead();
    expect(await queuedNow()).to.have.lengthOf(FREED);
    return (after - before) / FREED;
  }

  for (const inLine of [SHORT, LONG])
    it(`are handed on at a cost of the slots, not of the line: ${inLine} wait`, async () => {
      expect(await rowsReadPerSlot(inLine)).to.be.within(SLOTS, SLOTS * SLOTS);
    });
});
