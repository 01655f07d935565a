import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

const OPEN = 20_000;
const JOBS = 5_000; // of other intents than the oldest, which lost theirs
const AT_ONCE = 1_000; // see ops.open_intents
const WITHIN_MS = 3_500; // a statement of the console

describe('re-running many intents beside a long queue', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    const first = await intentAt(intentDb, 'queued');
    await intentDb.query('delete from queue_jobs');
    await intentDb.query(
      `insert into intents (id, kind, owner, state, request, digest, request_id, deadline_at, created_at)
       select gen_random_uuid(), kind, owner, state, request, digest, request_id, now() + interval '1 hour', created_at + make_interval(secs => n)
       from intents
       cross join generate_series(1, $2::integer) n
       where id = $1`,
      [first, OPEN - 1],
    );
    await intentDb.query(
      `select enqueue(array(select job_for(kind, id, is_exit, now() + interval '1 day') from intents order by created_at desc limit $1))`,
      [JOBS],
    );
    await intentDb.query('vacuum analyze intents');
    await intentDb.query(`set statement_timeout = ${WITHIN_MS}`);
  });
  after(() => intentDb.close());

  it('says what it would do, and does it, within the time that a statement has', async () => {
    const [would] = await intentDb.query('select verdict, intents from ops.assess_reruns()');
    expect(would).to.deep.equal({ verdict: 'queued_again', intents: AT_ONCE });

    const did = await intentDb.query(`select * from ops.rerun_all(null, null, null, 'ada', 'they hang')`);
    expect(did).to.deep.equal([{ verdict: 'queued_again', done: true, intents: AT_ONCE }]);
    const [queued] = await intentDb.query(
      `select count(*)::integer as due
       from queue_jobs j
       join (select id::text from intents order by created_at limit $1) i on i.id = j.payload ->> 'intent_id'
       where j.run_at <= now()`,
      [AT_ONCE],
    );
    expect(queued).to.deep.equal({ due: AT_ONCE });
  });

  it('shows what is in doubt within that time', async () => {
    await intentDb.query(`update intents set state = 'in_doubt', sending_at = now()`);
    const [shown] = await intentDb.query(
      'select count(*)::integer as doubts, count(next_reconcile_at)::integer as planned from ops.intents_in_doubt',
    );
    expect(shown).to.deep.equal({ doubts: OPEN, planned: JOBS + AT_ONCE });
  });
});
