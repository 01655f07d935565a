import { glob, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { exhaustJobs, intentAt, lockJobs, type Operator, operatorOf, workerSeen } from '../support/operator.ts';

describe('ops.rerun', () => {
  let intentDb: IntentDatabase;
  let operator: Operator;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = operatorOf(intentDb);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, worker_processes cascade; delete from queue_jobs'));

  const jobs = async () => (await intentDb.jobs()).map(({ task, intent_id }) => [task, intent_id]);
  const dueIn = async (id: string) => (await intentDb.jobs()).find(({ intent_id }) => intent_id === id)?.in_ms;
  it('queues again an unsent intent that has lost its job', async () => {
    const id = await intentAt(intentDb, 'queued', { lane: 'a' });
    await intentDb.finishJobs(id);

    expect(await operator.assess(id)).to.deep.equal({
      verdict: 'queued_again',
      is_safe: true,
      was_sent: false,
      venue_says: null,
      would_do: 'a worker sends it, for the first time',
      reason: 'nothing was sent, and no worker has it',
    });
    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'queued_again' });
    expect(await jobs()).to.deep.equal([['network/place', id]]);
    expect(await intentDb.headOf('a')).to.equal(id);
  });

  it('queues again one that runs beside the head of its lane, and leaves that there', async () => {
    const [head, beside] = [item({ lane: 'a', alongside: '1 place' }), item({ lane: 'a', alongside: '2 place' })];
    await intentDb.accept(head, beside);
    await intentDb.finishJobs(beside.id);

    expect(await intentDb.query('select intent_id, because from ops.stuck_intents')).to.deep.equal([
      { intent_id: beside.id, because: 'it has no job' },
    ]);
    expect(await operator.rerun(beside.id)).to.include({ done: true, verdict: 'queued_again' });

    expect(await jobs()).to.deep.equal([head, beside].map(({ id }) => ['network/place', id]));
    expect(await intentDb.headOf('a')).to.equal(head.id);
  });

  it('leaves all other dead jobs', async () => {
    const [id, other] = [await intentAt(intentDb, 'running'), await intentAt(intentDb, 'running')];
    for (const one of [id, other]) await exhaustJobs(intentDb, one);

    await operator.rerun(id);

    const dead = await intentDb.query('select intent_id from ops.jobs where is_dead');
    expect(dead).to.deep.equal([{ intent_id: other }]);
  });

  it('replaces a job that has used up its attempts with a new one', async () => {
    const id = await intentAt(intentDb, 'running');
    await exhaustJobs(intentDb, id);

    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'queued_again', was_sent: false });
    expect(await intentDb.query('select attempts from queue_jobs')).to.deep.equal([{ attempts: 0 }]);
    expect(await jobs()).to.deep.equal([['network/place', id]]);
  });

  for (const [what, state, change] of [
    ['that has thrown', 'queued', `last_error = 'a bug', attempts = 8`],
    ['that has thrown after it was sent', 'sent', `last_error = 'a bug', attempts = 8`],
    ['that was put off until after its deadline', 'queued', 'attempts = 0'],
  ] as const)
    it(`runs a job now ${what} and is due hours later`, async () => {
      const id = await intentAt(intentDb, state);
      await intentDb.query(`update queue_jobs set run_at = now() + interval '6 hours', ${change}`);

      const verdict = state === 'sent' ? 'reconcile_again' : 'queued_again';
      expect(await operator.rerun(id)).to.include({ done: true, verdict });

      expect(await jobs()).to.deep.equal([['network/place', id]]);
      expect(await dueIn(id)).to.be.below(1);
    });

  it('releases the job of a dead worker, so that the next one reconciles first', async () => {
    const id = await intentAt(intentDb, 'sent', { lane: 'a' });
    await lockJobs(intentDb, id, await workerSeen(intentDb, 9));

    expect(await operator.assess(id)).to.include({
      verdict: 'reconcile_again',
      was_sent: true,
      would_do: 'a worker sends nothing and reads at the upstream what it did',
    });
    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'reconcile_again' });

    expect(await intentDb.query('select locked_by from queue_jobs')).to.deep.equal([{ locked_by: null }]);
    expect(await intentDb.claim(id))
      .to.have.property('sending_at')
      .that.is.a('date');
  });

  it('queues a running one without a job again', async () => {
    const id = await intentAt(intentDb, 'sent', { lane: 'a' });
    await intentDb.finishJobs(id);

    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'reconcile_again' });
    expect(await jobs()).to.deep.equal([['network/place', id]]);
  });

  it('reconciles one in doubt now, by the scheduled job', async () => {
    const id = await intentAt(intentDb, 'in_doubt', { lane: 'a' });
    await intentDb.query(`delete from queue_jobs where run_at <= now()`); // the one that sent it has ended
    expect(await dueIn(id)).to.be.above(3_000);

    expect(await operator.rerun(id)).to.include({
      done: true,
      verdict: 'reconcile_again',
      venue_says: 'nothing readable yet, after 1 reconcile attempts',
    });

    expect(await jobs()).to.deep.equal([['network/place', id]]);
    expect(await dueIn(id)).to.be.below(1);
  });

  it('schedules a reconciliation for one in doubt that has none, whatever lane it left', async () => {
    const id = await intentAt(intentDb, 'in_doubt', { lane: 'a' });
    const next = await intentAt(intentDb, 'queued', { lane: 'a' });
    await intentDb.finishJobs(id);

    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'reconcile_again' });
    expect(await jobs()).to.deep.include(['network/place', id]);
    expect(await intentDb.headOf('a')).to.equal(next);
  });

  it('reports that the processor gets the same request again under the same key', async () => {
    const id = await intentAt(intentDb, 'in_doubt', { kind: 'payouts/submit' });

    const assessed = await operator.assess(id);
    expect(assessed).to.include({ verdict: 'send_again', is_safe: true, was_sent: true });
    expect(assessed?.would_do).to.match(/looks for it .* sent again under the same key and acts now/);
    expect(assessed?.reason).not.to.match(/only/);
    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'send_again' });
  });

  it('ends as expired, by a worker, an intent past its deadline', async () => {
    const id = await intentAt(intentDb, 'queued');
    await intentDb.finishJobs(id);
    await intentDb.query('update intents set deadline_at = now()');

    expect(await operator.assess(id)).to.include({
      verdict: 'queued_again',
      would_do: 'a worker ends it as expired: its deadline has passed',
    });
  });

  it('treats a worker that never registered as dead after a minute', async () => {
    const id = await intentAt(intentDb, 'running');
    await lockJobs(intentDb, id, 'pool-unknown', 61);

    expect(await operator.rerun(id)).to.include({ done: true, verdict: 'queued_again' });
  });

  it('puts the first in line at the head of a lane whose head has ended, and only that one', async () => {
    const ended = await intentAt(intentDb, 'succeeded', { lane: 'a' });
    const [first, second] = [
      await intentAt(intentDb, 'queued', { lane: 'a' }),
      await intentAt(intentDb, 'queued', { lane: 'a' }),
    ];
    await intentDb.query('delete from queue_jobs');
    await intentDb.query('update lanes set head = $1', [ended]);

    expect(await operator.rerun(second)).to.include({ verdict: 'at_work' });
    expect(await operator.rerun(first)).to.include({ done: true, verdict: 'queued_again' });
    expect(await intentDb.headOf('a')).to.equal(first);
    expect(await jobs()).to.deep.equal([['network/place', first]]);
  });

  it('acts once when two operators call it at the same time', async () => {
    const id = await intentAt(intentDb, 'queued');
    await intentDb.finishJobs(id);
    const others = await Promise.all([intentDb.session(), intentDb.session(), intentDb.session()]);

    const results = await Promise.all(others.map((session) => operatorOf(session).rerun(id)));

    expect(results.filter((result) => result?.done)).to.have.length(1);
    expect(await jobs()).to.have.length(1);
  });

  it('records operator, reason and result, also of rejections, and does nothing without them', async () => {
    const [done, rejected] = [await intentAt(intentDb, 'queued'), await intentAt(intentDb, 'queued')];
    await intentDb.finishJobs(done);
    for (const [who, why] of [
      ['', 'why'],
      ['ada', ' '],
      [null, 'why'],
      ['ada', null],
    ])
      await intentDb.query('select * from ops.rerun($1, $2, $3)', [done, who, why]).then(
        () => expect.fail('acted without an operator'),
        (error) => expect(error).to.have.property('code', '22023'),
      );
    await operator.rerun(done);
    await operator.rerun(rejected);

    expect(await operator.actions(done)).to.have.length(1);
    expect((await operator.actions(done))[0]).to.deep.include({ action: 'rerun', why: 'it hangs' });
    expect((await operator.actions(done))[0]?.detail).to.include({
      given_name: 'ada',
      done: true,
      verdict: 'queued_again',
      was: 'queued',
    });
    expect((await operator.actions(rejected))[0]?.detail).to.include({ done: false, verdict: 'at_work' });
    expect(await operator.rerun('0190aaaa-0000-7000-8000-000000000000')).to.equal(undefined);
  });

  it('reconciles every kind that a task executes', async () => {
    const workers = new URL('../../workers/', import.meta.url);
    const files = await Array.fromAsync(glob('**/*.ts', { cwd: workers }));
    const kinds: string[] = [];
    for (const file of files)
      if (/\brunIntent\(/.test(await readFile(new URL(file, workers), 'utf8'))) kinds.push(file.replace(/\.ts$/, ''));

    const verdicts: string[] = [];
    for (const kind of kinds) {
      const id = await intentAt(intentDb, 'sent', { kind });
      await intentDb.finishJobs(id);
      verdicts.push(`${kind}: ${(await operator.assess(id))?.verdict}`);
    }

    expect(kinds).to.have.length.above(10);
    expect(verdicts).to.deep.equal(kinds.map((kind) => `${kind}: reconcile_again`));
  });
});
