import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { sweepJobs } from '../../src/intents/sweep.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('the sweep of jobs', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  it('queues intents without a job, releases jobs that never reached their worker, deletes replaced jobs, and logs each', async () => {
    const [stranded, lost] = [item(), item()];
    await intentDb.accept(stranded, lost);
    await intentDb.query(`update intents set created_at = now() - interval '1 minute'`);
    await intentDb.finishJobs(stranded.id);
    await intentDb.query(`update queue_jobs set locked_by = 'a worker', locked_at = now() - interval '3 minutes'`);
    await intentDb.query(`
      select graphile_worker.add_job('kyc/reconcile', '{"_cron": {}}', job_key => 'kyc-reconcile');
      update queue_jobs set key = null, attempts = max_attempts where task = 'kyc/reconcile';
      insert into exchange_cursors (ex_wallet, read_to, due_at) values ('0x', now(), now() + interval '1 hour')`);
    const lines: unknown[] = [];

    await sweepJobs({ db, log: { warn: (...line: unknown[]) => void lines.push(line) } });

    const jobs = await intentDb.query('select payload, locked_by from queue_jobs order by id');
    expect(jobs).to.have.deep.members(
      [stranded, lost].map(({ id }) => ({ payload: { intent_id: id }, locked_by: null })),
    );
    expect(lines).to.deep.equal([
      [{ stranded: 1 }, 'requeued intents without a job'],
      [{ lost: 1 }, 'released lost jobs'],
      [{ postponed: 1 }, "the database's clock was set back: made due what that had postponed"],
    ]);
  });

  it('does the rest where one of these fails, and says so', async () => {
    await intentDb.query('truncate intents, lanes cascade; delete from queue_jobs');
    const lost = item();
    await intentDb.accept(lost);
    await intentDb.query(`update queue_jobs set locked_by = 'a worker', locked_at = now() - interval '3 minutes'`);
    await intentDb.query('alter function requeue_stranded() rename to gone');
    const lines: unknown[] = [];

    const error = await sweepJobs({ db, log: { warn: (...line: unknown[]) => void lines.push(line) } }).catch(String);
    await intentDb.query('alter function gone() rename to requeue_stranded');

    expect(error).to.include('requeue_stranded');
    expect(lines).to.deep.equal([[{ lost: 1 }, 'released lost jobs']]);
  });
});
