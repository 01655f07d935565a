import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('intents in doubt', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arrive, claimed } = slotsOf(() => intentDb);

  it('are looked up soon without reading the jobs that others have in the queue', async () => {
    const [first] = await arrive(2);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0, 10);
    await arrive(1);
    await intentDb.query(`
      select graphile_worker.add_job('webhooks/deliver', json_build_object('endpoint_id', n), run_at => now() + interval '1 day')
      from generate_series(1, 2000) n`);
    const session = await intentDb.session();
    const read = async () => {
      await session.query('select pg_stat_force_next_flush()');
      const [row] = await session.query<{ rows: number }>(`
        select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
        from pg_stat_all_tables
        where schemaname = 'graphile_worker' and relname = '_private_jobs'`);
      return row?.rows ?? 0;
    };
    const before = await read();

    await session.query(`select hurry_doubts('miner:x'), hurry_doubt($1)::text`, [first?.id]);

    expect((await read()) - before).to.be.below(20);
  });

  it('are looked up no later for all that come: a look-up that is due soon stays where it is', async () => {
    const [first, second] = await arrive(2);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    await intentDb.markInDoubt(second?.id ?? '', second?.fence ?? 0, 10);
    const due = () => intentDb.query(`select key, run_at from queue_jobs where key = 'doubt ' || $1`, [first?.id]);
    const before = await due();

    for (let n = 0; n < 3; n += 1) await arrive(1);

    expect(before).to.have.length(1);
    expect(await due()).to.deep.equal(before);
  });

  it('are looked up no sooner for what waits at another upstream', async () => {
    const [{ id, fence }, ...here] = [await claimed(), ...(await arrive(2))];
    await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:y', 1, 30)`, [id, fence]);
    for (const one of [{ id, fence }, ...here]) await intentDb.markInDoubt(one.id, one.fence, 10);

    await arrive(1);

    const later = (await intentDb.jobs()).filter(({ in_ms }) => in_ms > 8_000 && in_ms < 11_000);
    expect(later.map(({ intent_id }) => intent_id)).to.deep.equal([id]);
    expect(await intentDb.query(`select hurry_doubts('miner:y') as again_s`)).to.deep.equal([{ again_s: null }]);
  });

  it('are looked up at once where their upstream has reported something of them, and no other is', async () => {
    const [told, other] = await arrive(2);
    for (const one of [told, other]) await intentDb.markInDoubt(one?.id ?? '', one?.fence ?? 0, 10);

    await intentDb.query('select hurry_doubt($1)::text', [told?.id]);

    const due = await intentDb.jobs();
    const isDue = ({ in_ms }: { in_ms: number }) => in_ms < 1_000;
    expect(due.filter(isDue).map(({ intent_id }) => intent_id)).to.deep.equal([told?.id]);
    expect(due).to.have.length(2);
  });
});
