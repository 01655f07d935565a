import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

const OTHERS = 4_000;
const MOST_ROWS = 60; // that one acceptance, or one entry that begins to wait, reads of intents, lanes and jobs: its own, some several times
const EXIT = { kind: 'network/close' };
const FULL = { slots: 1 };

/** Each waits for a slot, with a job that its deadline would run. */
const LINE = `
  with waiting as (
    insert into intents (id, kind, owner, lane, request, digest, deadline_at, upstream)
    select gen_random_uuid(), 'network/place', 'ptn_' || n % 50, 'other ' || n, '{}', '', now() + interval '1 hour', 'miner:x'
    from generate_series(1, ${OTHERS}) n
    returning id, lane
  ), lane as (
    insert into lanes (name, head) select lane, id from waiting
  )
  select enqueue(array_agg(slot_job('network/place', id, false, now() + interval '1 hour'))) from waiting`;

/** Before an exit is accepted, and before its entry waits, the lane is looked at. */
describe('an exit behind an entry, beside many orders of others that wait', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase({ ownPlans: true });
  });
  after(() => intentDb.close());
  const { begin } = slotsOf(() => intentDb);

  const entryIn = async (lane: string): Promise<Row> => {
    const entry = item({ lane });
    await intentDb.accept(entry);
    await intentDb.finishJobs(entry.id);
    return (await intentDb.claim(entry.id)) as Row; // as: it was queued
  };
  const rowsRead = async (): Promise<number> => {
    await intentDb.query('select pg_stat_force_next_flush()');
    const [row] = await intentDb.query<{ count: number }>(
      `select sum(t.seq_tup_read + i.entries)::integer as count
       from pg_stat_user_tables t
       cross join lateral (select coalesce(sum(x.idx_tup_read), 0) as entries from pg_stat_user_indexes x where x.relid = t.relid) i`,
    );
    return row?.count ?? 0;
  };
  const read = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await rowsRead();
    await work();
    return (await rowsRead()) - before;
  };

  for (const [statistics, learn] of [
    ['plans from when nobody waited', 'select 1'],
    ['statistics of them all', 'discard plans; analyze'],
  ] as const)
    it(`costs what its own lane holds, with ${statistics}`, async () => {
      await intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs');
      const first = await entryIn('first');
      expect(await begin(first.id, first.fence, FULL)).to.equal('sent');
      for (let n = 0; n < 8; n += 1) {
        const { id, fence } = await entryIn(`early ${n}`);
        await begin(id, fence, FULL);
        await intentDb.accept(item({ lane: `early ${n}`, ...EXIT }));
      }
      await intentDb.query(LINE);
      await intentDb.query(learn);
      const own = await entryIn('own');

      const toWait = await read(() => begin(own.id, own.fence, FULL));
      const toAccept = await read(() => intentDb.accept(item({ lane: 'own', ...EXIT })));

      expect([toWait, toAccept]).to.satisfy(
        (counts: number[]) => counts.every((rows) => rows < MOST_ROWS),
        `${toWait}, ${toAccept}`,
      );
      expect((await intentDb.jobs()).find(({ intent_id }) => intent_id === own.id)?.in_ms).to.be.below(1);
    });
});
