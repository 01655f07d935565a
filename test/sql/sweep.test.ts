import { expect } from 'chai';
import { item, openSpine, type Row, type Spine } from '../support/spine.ts';

describe('requeue_stranded', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());
  beforeEach(() => spine.query('truncate intents, lanes cascade; delete from queue_jobs'));

  const requeue = async () => (await spine.query<{ n: number }>('select requeue_stranded() n'))[0]?.n;
  const age = () => spine.query(`update intents set created_at = now() - interval '1 minute'`);
  const loseJobs = () => spine.query('delete from queue_jobs');
  const jobs = async () => (await spine.jobs()).map(({ task, intent_id }) => [task, intent_id]);

  it('does not touch an intent that has its job, or waits behind a head that has one', async () => {
    await spine.accept(item(), item({ lane: 'a' }), item({ lane: 'a' }));
    await age();

    expect(await requeue()).to.equal(0);
    expect(await jobs()).to.have.length(2);
  });

  it('does not touch a newly accepted one', async () => {
    await spine.accept(item());
    await loseJobs();

    expect(await requeue()).to.equal(0);
  });

  it('queues a new job for one that lost it, once', async () => {
    const [alone, head, behind] = [item(), item({ lane: 'a' }), item({ lane: 'a' })];
    await spine.accept(alone, head, behind);
    await age();
    await loseJobs();

    const requeued = [await requeue(), await requeue()];

    expect(requeued).to.deep.equal([2, 0]);
    expect(await jobs()).to.have.deep.members([
      ['network/place', alone.id],
      ['network/place', head.id],
    ]);
  });

  it('queues the task of a running one and the reconciliation of one in doubt', async () => {
    const [running, inDoubt] = [item(), item({ lane: 'a', kind: 'network/cancel' })];
    await spine.accept(running, inDoubt);
    await spine.claim(running.id);
    const { fence } = (await spine.claim(inDoubt.id)) as Row;
    await spine.beginSending(inDoubt.id, fence);
    await spine.markInDoubt(inDoubt.id, fence);
    await age();
    await loseJobs();

    await requeue();

    expect(await jobs()).to.have.deep.members([
      ['network/place', running.id],
      ['network/cancel', inDoubt.id],
    ]);
  });

  it('queues a new job for one whose job has used up its attempts', async () => {
    const one = item();
    await spine.accept(one);
    await age();
    await spine.query('update queue_jobs set attempts = max_attempts');

    expect(await requeue()).to.equal(1);
  });

  for (const [what, statement] of [
    ['has ended', `update intents set state = 'failed', outcome = '{}', settled_at = now() where id = $1`],
    ['is gone', 'delete from intents where id = $1'],
  ] as const) {
    it(`frees a lane whose head ${what}, for the first in it`, async () => {
      const [head, first, second] = [item({ lane: 'a' }), item({ lane: 'a' }), item({ lane: 'a' })];
      await spine.accept(head, first, second);
      await spine.query(statement, [head.id]);
      await age();
      await spine.finishJobs(head.id);

      const requeued = await requeue();

      expect(requeued).to.equal(1);
      expect(await spine.headOf('a')).to.equal(first.id);
      expect(await jobs()).to.deep.equal([['network/place', first.id]]);
    });
  }

  it('frees a lane that lost its head', async () => {
    const [first, second] = [item({ lane: 'a' }), item({ lane: 'a' })];
    await spine.accept(first, second);
    await age();
    await loseJobs();
    await spine.query('update lanes set head = null');

    await requeue();

    expect(await spine.headOf('a')).to.equal(first.id);
    expect(await jobs()).to.deep.equal([['network/place', first.id]]);
  });
});

describe('release_lost_jobs', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());

  it('releases jobs locked for longer than any task takes, and nothing else', async () => {
    const [lost, atWork] = [item(), item()];
    await spine.accept(lost, atWork);
    const lock = (id: string, ago: string) =>
      spine.query(
        `update queue_jobs set locked_at = now() - $2::interval, locked_by = 'worker'
         where payload ->> 'intent_id' = $1`,
        [id, ago],
      );
    await lock(lost.id, '3 minutes');
    await lock(atWork.id, '1 minute');

    const [freed] = await spine.query<{ n: number }>('select release_lost_jobs() n');
    const locked = await spine.query<{ id: string }>(
      `select payload ->> 'intent_id' id from queue_jobs where locked_at is not null`,
    );

    expect(freed?.n).to.equal(1);
    expect(locked).to.deep.equal([{ id: atWork.id }]);
  });
});
