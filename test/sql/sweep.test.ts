import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

describe('requeue_stranded', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes cascade; delete from queue_jobs'));

  const requeue = async () => (await intentDb.query<{ n: number }>('select requeue_stranded() n'))[0]?.n;
  const age = () => intentDb.query(`update intents set created_at = now() - interval '1 minute'`);
  const loseJobs = () => intentDb.query('delete from queue_jobs');
  const jobs = async () => (await intentDb.jobs()).map(({ task, intent_id }) => [task, intent_id]);

  it('does not touch an intent that has its job, or waits behind a head that has one', async () => {
    await intentDb.accept(item(), item({ lane: 'a' }), item({ lane: 'a' }));
    await age();

    expect(await requeue()).to.equal(0);
    expect(await jobs()).to.have.length(2);
  });

  it('does not touch a newly accepted one', async () => {
    await intentDb.accept(item());
    await loseJobs();

    expect(await requeue()).to.equal(0);
  });

  it('queues a new job for one that lost it, once, whatever other jobs there are, and none for one that has ended', async () => {
    const [alone, head, behind, ended] = [item(), item({ lane: 'a' }), item({ lane: 'a' }), item()];
    await intentDb.accept(alone, head, behind, ended);
    const { fence } = (await intentDb.claim(ended.id)) as Row;
    await intentDb.settle(ended.id, fence, 'failed');
    await age();
    await loseJobs();
    await intentDb.query(`select graphile_worker.add_job('housekeeping/figures', '{}')`);

    const requeued = [await requeue(), await requeue()];

    expect(requeued).to.deep.equal([2, 0]);
    expect(await jobs()).to.have.deep.members([
      ['housekeeping/figures', null],
      ['network/place', alone.id],
      ['network/place', head.id],
    ]);
  });

  it('queues the task of a running one and the reconciliation of one in doubt', async () => {
    const [running, inDoubt] = [item(), item({ lane: 'a', kind: 'network/cancel' })];
    await intentDb.accept(running, inDoubt);
    await intentDb.claim(running.id);
    const { fence } = (await intentDb.claim(inDoubt.id)) as Row;
    await intentDb.beginSending(inDoubt.id, fence);
    await intentDb.markInDoubt(inDoubt.id, fence);
    await age();
    await loseJobs();

    await requeue();

    expect(await jobs()).to.have.deep.members([
      ['network/place', running.id],
      ['network/cancel', inDoubt.id],
    ]);
  });

  it('queues the reconciliation of one in doubt although the head of its lane has its job', async () => {
    const [inDoubt, head] = [item({ lane: 'a', kind: 'network/cancel' }), item({ lane: 'a' })];
    await intentDb.accept(inDoubt, head);
    const { fence } = (await intentDb.claim(inDoubt.id)) as Row;
    await intentDb.beginSending(inDoubt.id, fence);
    await intentDb.markInDoubt(inDoubt.id, fence);
    await age();
    await intentDb.finishJobs(inDoubt.id);

    expect(await requeue()).to.equal(1);

    expect(await jobs()).to.have.deep.members([
      ['network/place', head.id],
      ['network/cancel', inDoubt.id],
    ]);
  });

  it('queues a new job for one that runs beside the head of its lane, which has its own', async () => {
    const [head, beside] = [item({ lane: 'a', alongside: '1 place' }), item({ lane: 'a', alongside: '2 place' })];
    await intentDb.accept(head, beside);
    await age();
    await intentDb.finishJobs(beside.id);

    expect(await requeue()).to.equal(1);

    expect(await intentDb.headOf('a')).to.equal(head.id);
    expect(await jobs()).to.deep.equal([head, beside].map(({ id }) => ['network/place', id]));
  });

  it('passes over a lane that somebody holds, whose head may be ending, and waits for none: the others have their jobs', async () => {
    const [ends, other] = [item({ lane: 'a' }), item({ lane: 'b' })];
    await intentDb.accept(ends, other);
    const { fence } = (await intentDb.claim(ends.id)) as Row;
    await age();
    await loseJobs();
    const ending = await intentDb.session();

    await ending.query('begin');
    await ending.settle(ends.id, fence, 'failed');
    const requeued = requeue();
    const beside = await Promise.race([requeued, sleep(2_000, 'it waits')]);
    await ending.query('commit');
    await requeued;

    expect(beside).to.equal(1);
    expect(await intentDb.headOf('a')).to.equal(null);
    expect(await jobs()).to.deep.equal([['network/place', other.id]]);
  });

  it('queues a new job for one whose job has used up its attempts', async () => {
    const one = item();
    await intentDb.accept(one);
    await age();
    await intentDb.query('update queue_jobs set attempts = max_attempts');

    expect(await requeue()).to.equal(1);
  });

  it('has one that has passed its deadline unsent expire now, and not when its job is due that has thrown or was put off', async () => {
    const [late, inTime] = [item({ lane: 'a', deadline_s: -31 }), item({ lane: 'b' })];
    await intentDb.accept(late, inTime);
    await age();
    await intentDb.query(`update queue_jobs set run_at = now() + interval '6 hours'`);

    const requeued = [await requeue(), await requeue()];

    expect(requeued).to.deep.equal([1, 0]);
    expect((await intentDb.jobs()).filter(({ in_ms }) => in_ms <= 0).map(({ intent_id }) => intent_id)).to.deep.equal([
      late.id,
    ]);
  });

  it('gives one that has passed its deadline one more job at most, however often its task throws', async () => {
    await intentDb.accept(item({ deadline_s: -31 }));
    await age();

    for (let minute = 0; minute < 3; minute++) {
      await intentDb.query(
        `update queue_jobs set run_at = now() + interval '1 hour', attempts = 9, last_error = 'a bug'`,
      );
      expect(await requeue()).to.equal(1);
    }

    expect(await jobs()).to.have.length(2);
  });

  for (const [what, statement] of [
    ['has ended', `update intents set state = 'failed', outcome = '{}', settled_at = now() where id = $1`],
    ['is gone', 'delete from intents where id = $1'],
  ] as const) {
    it(`frees a lane whose head ${what}, for the first in it`, async () => {
      const [head, first, second] = [item({ lane: 'a' }), item({ lane: 'a' }), item({ lane: 'a' })];
      await intentDb.accept(head, first, second);
      await intentDb.query(statement, [head.id]);
      await age();
      await intentDb.finishJobs(head.id);

      const requeued = await requeue();

      expect(requeued).to.equal(1);
      expect(await intentDb.headOf('a')).to.equal(first.id);
      expect(await jobs()).to.deep.equal([['network/place', first.id]]);
    });
  }

  it('frees a lane that lost its head', async () => {
    const [first, second, ended] = [item({ lane: 'a' }), item({ lane: 'a' }), item({ lane: 'b' })];
    await intentDb.accept(first, second, ended);
    const { fence } = (await intentDb.claim(ended.id)) as Row;
    await intentDb.settle(ended.id, fence);
    await age();
    await intentDb.query('update intents set attempts = 0 where id = $1', [first.id]); // its row is now after the other one
    await loseJobs();
    await intentDb.query('update lanes set head = null');

    await requeue();

    expect([await intentDb.headOf('a'), await intentDb.headOf('b')]).to.deep.equal([first.id, null]);
    expect(await jobs()).to.deep.equal([['network/place', first.id]]);
  });
});

describe('release_lost_jobs', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('releases jobs locked for longer than any task takes, and nothing else', async () => {
    const [lost, atWork] = [item(), item()];
    await intentDb.accept(lost, atWork);
    const lock = (id: string, ago: string) =>
      intentDb.query(
        `update queue_jobs set locked_at = now() - $2::interval, locked_by = 'worker'
         where payload ->> 'intent_id' = $1`,
        [id, ago],
      );
    await lock(lost.id, '3 minutes');
    await lock(atWork.id, '1 minute');

    const [freed] = await intentDb.query<{ n: number }>('select release_lost_jobs() n');
    const locked = await intentDb.query<{ id: string }>(
      `select payload ->> 'intent_id' id from queue_jobs where locked_at is not null`,
    );

    expect(freed?.n).to.equal(1);
    expect(locked).to.deep.equal([{ id: atWork.id }]);
  });

  it('passes over those that somebody holds', async () => {
    await intentDb.query('delete from queue_jobs');
    const [held, lost] = [item(), item()];
    await intentDb.accept(held, lost);
    await intentDb.query(`update queue_jobs set locked_at = now() - interval '3 minutes', locked_by = 'worker'`);
    const holder = await intentDb.session();
    await holder.query('begin');
    await holder.query(`select from queue_jobs where payload ->> 'intent_id' = $1 for update`, [held.id]);

    const released = intentDb.query<{ n: number }>('select release_lost_jobs() n');
    const beside = await Promise.race([released, sleep(2_000, 'it waits')]);
    await holder.query('rollback');
    await released;

    expect(beside).to.deep.equal([{ n: 1 }]);
    expect(await intentDb.query('select release_lost_jobs() n')).to.deep.equal([{ n: 1 }]);
  });
});
