import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { sweepJobs } from '../../src/intents/sweep.ts';
import { listTaskNames } from '../../src/intents/task.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

type Assessed = { done?: boolean; verdict: string; is_safe: boolean; would_do: string; reason: string };

describe('dead jobs without an intent, as trading_operator', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = await intentDb.session();
    await operator.query('set role trading_operator');
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('delete from queue_jobs'));

  /** Uses up the attempts of the newest job of a task. Returns the id of the job. */
  async function die(task: string): Promise<string> {
    const [job] = await intentDb.query<{ id: string }>(
      `update queue_jobs
       set attempts = max_attempts, last_error = 'a bug'
       where id = (select max(j.id) from queue_jobs j where j.task = $1)
       returning id`,
      [task],
    );
    return String(job?.id);
  }
  const queued = async (task: string, payload: object): Promise<string> => {
    await intentDb.query('select graphile_worker.add_job($1, $2)', [task, payload]);
    return die(task);
  };
  const assess = async (job: string) =>
    (await operator.query<Assessed>('select * from ops.safe_to_rerun_job($1)', [job]))[0];
  const rerun = async (job: string) =>
    (await operator.query<Assessed>(`select * from ops.rerun_job($1, 'ada', 'the mail server is back')`, [job]))[0];
  const attempts = async (job: string) =>
    (await intentDb.query<{ attempts: number }>('select attempts from queue_jobs where id = $1', [job]))[0]?.attempts;

  it('are listed with what they are about, and nothing else of their payload', async () => {
    const job = await queued('payments/read', { payment_id: 'pay_1', url: 'https://x.example/?t=canary' });
    await intentAt(intentDb, 'queued');
    await die('network/place');

    const listed = await operator.query<{ job_id: string; task: string; about: object; last_error: string }>(
      'select * from ops.dead_jobs',
    );

    expect(listed).to.have.length(1);
    expect(listed[0]).to.deep.include({ job_id: job, task: 'payments/read', about: { payment_id: 'pay_1' } });
    expect(listed[0]).to.include({ last_error: 'a bug' });
  });

  it('run again with all attempts, once, and the operator is recorded', async () => {
    await intentDb.query(
      `select post_mail('0190aaaa-0000-7000-8000-00000000000a', 'none', 'a@b.example', '{}', null, 600)`,
    );
    const job = await die('mail/send');

    expect(await assess(job)).to.include({ verdict: 'queued_again', is_safe: true });
    expect(await rerun(job)).to.include({ done: true, verdict: 'queued_again' });
    expect(await attempts(job)).to.equal(0);
    expect(await rerun(job)).to.include({ done: false, verdict: 'at_work', is_safe: false });

    const actions = await operator.query<{ action: string; why: string; detail: { verdict: string; task: string } }>(
      'select a.action, a.why, a.detail from ops.actions a where a.subject = $1 order by a.at',
      [job],
    );
    expect(actions.map(({ action, why, detail }) => [action, why, detail.task, detail.verdict])).to.deep.equal([
      ['rerun_job', 'the mail server is back', 'mail/send', 'queued_again'],
      ['rerun_job', 'the mail server is back', 'mail/send', 'at_work'],
    ]);
  });

  it('run again for an event that was not applied, and for a sweep', async () => {
    await intentDb.query(
      `insert into processor_events (id, type, said_at, fact, source)
       values ('evt_1', 'payment_intent.succeeded', now(), '{}', 'listed')`,
    );
    for (const [task, payload] of [
      ['payments/notified', { event_id: 'evt_1' }],
      ['trading/sweep', {}],
    ] as const) {
      const job = await queued(task, payload);
      expect(await rerun(job), task).to.include({ done: true, verdict: 'queued_again' });
    }
    await intentDb.query(`update processor_events set acted_at = now(), outcome = 'applied'`);

    const late = await queued('payments/notified', { event_id: 'evt_1' });

    expect(await rerun(late)).to.include({ done: false, verdict: 'finished', reason: 'its event was applied' });
  });

  it('run again, too, if they are not dead, but have thrown and are due hours later; one that has not thrown is left alone', async () => {
    const [thrown, planned] = [await queued('payments/read', {}), await queued('payments/read', {})];
    await intentDb.query(`update queue_jobs set attempts = 9, run_at = now() + interval '6 hours'`);
    await intentDb.query('update queue_jobs set last_error = null where id = $1', [planned]);

    expect(await rerun(thrown)).to.include({ done: true, verdict: 'queued_again' });
    expect(await rerun(planned)).to.include({ done: false, verdict: 'at_work' });

    expect(await intentDb.query('select id from queue_jobs where run_at <= now() and attempts = 0')).to.deep.equal([
      { id: thrown },
    ]);
  });

  it('are left alone if their mail has ended, if they are for an intent, or of an unknown task', async () => {
    await intentDb.query(
      `select post_mail('0190aaaa-0000-7000-8000-00000000000b', 'none', 'a@b.example', '{}', null, 600)`,
    );
    await intentDb.query(`select end_mail('0190aaaa-0000-7000-8000-00000000000b', 'sent', null)`);
    const mail = await die('mail/send');
    const id = await intentAt(intentDb, 'queued');
    const intent = await die('network/place');
    const unknown = await queued('unheard/of', {});

    expect(await rerun(mail)).to.include({ done: false, verdict: 'finished' });
    expect(await rerun(intent)).to.include({ done: false, verdict: 'would_act_twice' });
    expect((await assess(intent))?.reason).to.contain(id);
    expect(await rerun(unknown)).to.include({ done: false, verdict: 'would_act_twice', is_safe: false });
    expect(await rerun('0')).to.equal(undefined);
    for (const job of [intent, unknown]) expect(await attempts(job)).to.be.above(0);
    expect(await rerun(mail), 'it has nothing to do, so nobody is told of it for a month').to.equal(undefined);
  });

  it('need who and why', async () => {
    const job = await queued('trading/sweep', {});

    for (const given of [
      ['', 'why'],
      ['ada', ' '],
    ])
      expect(
        await operator.query('select * from ops.rerun_job($1, $2, $3)', [job, ...given]).catch(({ code }) => code),
      ).to.equal('22023');
    expect(await attempts(job)).to.be.above(0);
  });

  it('go with a sweep once nothing is left of them to do, those of intents too, so that their alert ends', async () => {
    await queued('mail/send', { mail_id: '00000000-0000-7000-8000-0000000000aa' }); // which has ended
    const still = await queued('payments/read', { payment_id: 'pay_1' });
    await intentAt(intentDb, 'queued');
    const open = await die('network/place');
    const ended = await intentAt(intentDb, 'queued');
    await die('network/place');
    await intentDb.query(`update intents set state = 'failed', settled_at = now(), outcome = '{}' where id = $1`, [
      ended,
    ]);
    await intentDb.query(`select enqueue(array[slot_job('network/place', $1, false, now() + interval '20 seconds')])`, [
      ended,
    ]);

    const doubted = await intentAt(intentDb, 'queued');
    await intentDb.finishJobs(doubted);
    await intentDb.query(`update intents set state = 'failed', settled_at = now(), outcome = '{}' where id = $1`, [
      doubted,
    ]);
    await intentDb.query(`select enqueue(array[doubt_job('network/place', $1, false, now())])`, [doubted]);
    await intentDb.query(`update queue_jobs set attempts = max_attempts where key = 'doubt ' || $1`, [doubted]);

    const db = await openPool(intentDb.url, 1, () => {});
    await sweepJobs({ db, log: { warn: () => {} } });
    await db.end();

    const left = await intentDb.query<{ id: string }>(
      'select id::text from queue_jobs where attempts >= max_attempts order by id',
    );
    expect(left.map(({ id }) => id)).to.deep.equal([still, open]);
    const planned = await intentDb.query('select key from queue_jobs where attempts = 0');
    expect(planned, 'the job that frees its slot').to.deep.equal([{ key: `slot ${ended}` }]);
  });

  it('can be of every task that is for no intent', async () => {
    const kinds = await intentDb.query<{ kind: string }>('select kind from intent_kinds');
    const verbs = new Set(kinds.map(({ kind }) => kind));

    for (const task of listTaskNames().filter((name) => !verbs.has(name)))
      expect((await assess(await queued(task, {})))?.verdict, task).to.be.oneOf(['queued_again', 'finished']);
  });
});
