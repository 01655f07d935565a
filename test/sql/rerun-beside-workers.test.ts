import { expect } from 'chai';
import { type DbSession, type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { intentAt, lockJobs, workerSeen } from '../support/operator.ts';
import { until } from '../support/processes.ts';

describe('a re-run of an intent whose job a living worker takes at that moment', () => {
  let intentDb: IntentDatabase;
  let [recorder, operator]: [DbSession?, DbSession?] = [];
  before(async () => {
    intentDb = await openIntentDatabase();
    [recorder, operator] = [await intentDb.session(), await intentDb.session()];
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, worker_processes cascade; delete from queue_jobs'));

  const holders = () =>
    intentDb.query('select payload ->> $1 as intent, locked_by from queue_jobs order by id', ['intent_id']);

  for (const [call, name] of [
    [`ops.rerun($1, 'ada', 'why')`, 'one'],
    [`ops.rerun_all('network/place', null, 'in_doubt', 'ada', $1::text)`, 'many'],
  ] as const)
    it(`frees nothing that this worker has, and queues no second job: ${name}`, async () => {
      const other = await intentAt(intentDb, 'sent');
      const id = await intentAt(intentDb, 'in_doubt');
      await intentDb.query(`delete from queue_jobs where payload ->> 'intent_id' = $1 and key is null`, [id]);
      const pool = await workerSeen(intentDb, 0);
      await lockJobs(intentDb, other, pool);
      await recorder?.query('begin; lock operator_actions in share mode'); // so that it was assessed, and does not go on yet

      const rerunning = operator?.query(`select * from ${call}`, [id]);
      while ((await intentDb.query(WAITING)).length === 0);
      await lockJobs(intentDb, id, pool);
      await recorder?.query('commit');
      await rerunning;

      expect(await holders()).to.deep.equal([
        { intent: other, locked_by: pool },
        { intent: id, locked_by: pool },
      ]);
    });

  it('of many does not deadlock with endings that share a commit', async () => {
    const [first, behind, doubtful] = [item({ lane: 'a' }), item({ lane: 'a' }), item({ lane: 'b' })];
    for (const one of [first, behind, doubtful]) await intentDb.accept(one);
    const claimed = await intentDb.claim(first.id);
    const { fence = 0 } = (await intentDb.claim(doubtful.id)) ?? {};
    await intentDb.beginSending(doubtful.id, fence);
    await intentDb.markInDoubt(doubtful.id, fence);
    const settling = await intentDb.session();
    await settling.query('begin');
    await settling.settle(first.id, claimed?.fence ?? 0);

    const rerunning = operator?.query(`select intents from ops.rerun_all(null, null, null, 'ada', 'why')`);
    rerunning?.catch(() => {}); // read below
    await until('it waits', async () => (await intentDb.query(WAITING)).length > 0);
    expect(await settling.settle(doubtful.id, fence)).to.equal(true);
    await settling.query('commit');

    expect(await rerunning).to.not.deep.equal([]);
  });
});
