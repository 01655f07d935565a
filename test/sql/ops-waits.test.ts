import { expect } from 'chai';
import { paceOf } from '../../src/capacity/network.ts';
import { hotkeyOf } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { exhaustJobs, intentAt, lockJobs, workerSeen } from '../support/operator.ts';
import { slotsOf } from '../support/slots.ts';

const SETTINGS = { NETVENUE_MINER_THREADS: 10, NETVENUE_SIGNALS_PER_MIN: 10 };

describe('what an open intent waits for', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(async () => {
    await intentDb.query('truncate intents, lanes, worker_processes, upstream_slots, paces, request_budgets cascade');
    await intentDb.query('delete from queue_jobs');
    await workerSeen(intentDb, 0);
  });

  const slots = slotsOf(() => intentDb);
  const why = async (id: string) => {
    const [row] = await intentDb.query<{ reason: string; detail: string; until: Date | null }>(
      'select * from ops.why($1)',
      [id],
    );
    return row;
  };
  const reasonOf = async (id: string) => (await why(id))?.reason;

  it('is the intent before it in its lane, by its id and state', async () => {
    const head = await intentAt(intentDb, 'queued', { lane: 'a' });
    const behind = await intentAt(intentDb, 'queued', { lane: 'a' });
    await lockJobs(intentDb, head, await workerSeen(intentDb, 0));

    expect(await reasonOf(head)).to.equal('running');
    expect(await why(behind)).to.deep.include({ reason: 'lane', until: null });
    expect((await why(behind))?.detail).to.include(head);
  });

  it('is capacity, with who holds it: requests under way, or requests in doubt', async () => {
    const [one, two, third] = await slots.arrive(3);
    if (!one || !two || !third) throw new Error('three have arrived');
    const under = await why(third.id);
    await intentDb.query(`select mark_in_doubt($1, $2, 30, 'ECONNRESET')`, [one.id, one.fence]);
    const doubted = await why(third.id);

    expect(under).to.include({ reason: 'slots', detail: '2 requests are at miner:x' });
    expect(doubted).to.include({ reason: 'doubts', detail: '1 of the 2 requests at miner:x are in doubt' });
    expect(doubted?.until?.getTime()).to.be.within(Date.now(), Date.now() + 31_000);
    expect(await reasonOf(one.id)).to.equal('in_doubt');
    expect((await why(one.id))?.detail).to.include('ECONNRESET');
    expect(await reasonOf(two.id)).to.equal('response');
    const counts = await intentDb.query<{ reason: string; count: number }>('select * from ops.wait_counts');
    expect(Object.fromEntries(counts.map(({ reason, count }) => [reason, count]))).to.deep.equal({
      doubts: 1,
      in_doubt: 1,
      response: 1,
    });
  });

  it('is the pace of the validator until its minute is over', async () => {
    const { name, perMinute, forExits } = paceOf(hotkeyOf('hot', 1), SETTINGS);
    await intentDb.query('select spend_pace($1, $2)', [name, perMinute]);
    await intentDb.query(`update paces set taken = array(select at - interval '22 seconds' from unnest(taken) as at)`);
    const { id, fence } = await slots.claimed();
    await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:x', 2, 30, 0, true, $3, $4, $5)`, [
      ...[id, fence, name, perMinute, forExits],
    ]);

    expect(await why(id)).to.include({ reason: 'pace' });
    expect((await why(id))?.until?.getTime()).to.be.within(Date.now() + 30_000, Date.now() + 41_000);
  });

  it('marks exits: by their kind, and by what waits for its turn as one', async () => {
    const [entry, exit] = [
      await intentAt(intentDb, 'queued'),
      await intentAt(intentDb, 'queued', { kind: 'network/close' }),
    ];
    const closing = await intentAt(intentDb, 'queued');
    await intentDb.query('update intents set is_exit = true where id = $1', [closing]);

    const exits = await intentDb.query<{ intent_id: string }>('select intent_id from ops.waits where is_exit');

    expect(exits.map(({ intent_id }) => intent_id))
      .to.have.members([exit, closing])
      .and.not.include(entry);
  });

  it('is the end of a pause that the exchange has asked for', async () => {
    const id = await intentAt(intentDb, 'queued', { kind: 'exchange/place', lane: 'exvenue:0x1' });
    await intentDb.query(`insert into request_budgets values ('x', 0, now() + interval '8 seconds')`);

    expect(await why(id)).to.include({ reason: 'paused' });
  });

  it('is a worker, a job, a time or its own expiry', async () => {
    const at = () => intentAt(intentDb, 'queued');
    const [ready, planned, dead, without, late] = [await at(), await at(), await at(), await at(), await at()];
    const jobOf = `array(select j.job_id from ops.jobs j where j.intent_id = $1)`;
    await intentDb.query(`select graphile_worker.reschedule_jobs(${jobOf}, now() + interval '1 minute')`, [planned]);
    await exhaustJobs(intentDb, dead);
    await intentDb.finishJobs(without);
    await intentDb.query(`update intents set deadline_at = now() where id = $1`, [late]);
    const reasons = [];
    for (const id of [ready, planned, dead, without, late]) reasons.push(await reasonOf(id));
    await intentDb.query('truncate worker_processes');

    expect(reasons).to.deep.equal(['queue', 'due', 'job', 'job', 'deadline']);
    expect(await reasonOf(ready)).to.equal('worker');
  });

  it('is nothing once it has ended, and for an unknown id', async () => {
    expect(await why(await intentAt(intentDb, 'succeeded'))).to.equal(undefined);
    expect(await why('00000000-0000-4000-8000-000000000000')).to.equal(undefined);
  });

  it('is the last but one line of its history', async () => {
    const id = await intentAt(intentDb, 'queued');
    const story = await intentDb.query<{ what: string; detail: string }>('select * from ops.history($1)', [id]);
    expect(story.at(-2)).to.deep.include({ what: 'waits for', detail: 'queue: its job waits for a free worker' });
  });

  it('is shown of the oldest 2,000 that are open, exits first: without workers there are soon more', async () => {
    await intentDb.query(`
      insert into intents (id, kind, owner, request, digest, created_at, deadline_at)
      select gen_random_uuid(), case when n = 1 then 'network/cancel' else 'network/place' end, 'ptn_a', '{}', '\\x00',
        now() - n * interval '1 second', now() + interval '1 hour'
      from generate_series(1, 2010) n`);

    const [shown] = await intentDb.query(`
      select count(*)::integer as "all", count(*) filter (where is_exit)::integer as exits, max(created_at) filter (where not is_exit)
        = (select created_at from intents where kind = 'network/place' order by created_at offset 1998 limit 1) as oldest
      from ops.waits`);

    expect(shown).to.deep.equal({ all: 2_000, exits: 1, oldest: true });
  });
});
