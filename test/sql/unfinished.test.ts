import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { sweepJobs } from '../../src/intents/sweep.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

const MAIL = '0190aaaa-0000-7000-8000-00000000000a';

describe('a mail, an event of the processor and a paid registration whose job is gone', () => {
  let intentDb: IntentDatabase;
  let purchase: string;
  before(async () => {
    intentDb = await openIntentDatabase();
    purchase = await intentAt(intentDb, 'succeeded', { kind: 'registration/purchase' });
  });
  after(() => intentDb.close());
  beforeEach(async () => {
    await intentDb.query('truncate mails, processor_events, registrations cascade; delete from queue_jobs');
    await intentDb.query(`select post_mail('${MAIL}', 'none', 'a@b.example', '{}', null, 600)`);
    await intentDb.query(`
      insert into processor_events (id, type, said_at, fact, source)
      values ('evt_1', 'charge.dispute.created', now(), '{"about": "charge"}', 'notified')`);
    await intentDb.query(`select enqueue(array(select event_job(e.id, e.fact) from processor_events e))`);
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at, polls)
       values ($1, 'ptn_a', '0xa1', 'slug', 1000, '0xdd', 'processing', '0xaa', now(), 3)`,
      [purchase],
    );
    await intentDb.query(`select plan_registration_poll($1, 3, 5)`, [purchase]);
  });

  const age = () =>
    intentDb.query(`
      update mails set created_at = now() - interval '1 minute';
      update processor_events set received_at = now() - interval '1 minute';
      update registrations set paid_at = now() - interval '1 minute'`);
  const loseJobs = () => intentDb.query('select graphile_worker.complete_jobs(array(select j.id from queue_jobs j))');
  const requeue = async () => (await intentDb.query<{ n: number }>('select requeue_unfinished() n'))[0]?.n;
  const jobs = () => intentDb.query('select task, payload from queue_jobs order by task');

  it('has a new one after the next sweep, once', async () => {
    const before = await jobs();
    await age();
    await loseJobs();
    const db = await openPool(intentDb.url, 1, () => {});
    const lines: unknown[] = [];

    await sweepJobs({ db, log: { warn: (...line: unknown[]) => void lines.push(line) } });
    await db.end();

    expect(before).to.have.length(3);
    expect(await jobs()).to.deep.equal(before);
    expect(await requeue()).to.equal(0);
    expect(lines).to.deep.equal([[{ unfinished: 3 }, 'requeued mails, events or registrations without a job']]);
  });

  it('has no second one while it has one, dead or not, and none when it is new', async () => {
    await loseJobs();
    const fresh = await requeue();
    await age();
    await requeue();
    await intentDb.query('update queue_jobs set attempts = max_attempts');

    expect([fresh, await requeue()]).to.deep.equal([0, 0]);
    expect(await jobs()).to.have.length(3);
  });

  it('has none once it has ended, nor before its purchase has', async () => {
    await age();
    await loseJobs();
    await intentDb.query(`select end_mail('${MAIL}', 'sent', null)`);
    await intentDb.query(`update processor_events set acted_at = now(), outcome = 'applied'`);
    await intentDb.query(`update registrations set status = 'active'`);
    const ended = await requeue();
    const open = await intentAt(intentDb, 'sent', { kind: 'registration/purchase' });
    await intentDb.finishJobs(open);
    await intentDb.query(`update registrations set id = $1, status = 'processing'`, [open]);

    expect([ended, await requeue()]).to.deep.equal([0, 0]);
  });
});

describe('many mails that have their jobs, for a worker with a plan from when there was one', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase({ ownPlans: true });
  });
  after(() => intentDb.close());

  const post = (count: number) =>
    intentDb.query(`
      with posted as (
        insert into mails (id, template, recipient, data, created_at, expires_at)
        select gen_random_uuid(), 'none', 'a@b.example', '{}', now() - interval '1 minute', now() + interval '1 day'
        from generate_series(1, ${count})
        returning id
      )
      select enqueue(array_agg(mail_job(p.id, null))) from posted p`);
  const sweep = () => intentDb.query('select requeue_unfinished() n');

  it('are compared with the jobs in one pass: not each of them with each job', async () => {
    await post(1);
    await intentDb.query('analyze');
    await sweep();
    await post(20_000);
    await intentDb.query(`set statement_timeout = '4s'`);

    expect(await sweep()).to.deep.equal([{ n: 0 }]);
  }).timeout(60_000);
});
