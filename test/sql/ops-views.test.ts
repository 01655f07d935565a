import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { exhaustJobs, intentAt, lockJobs, workerSeen } from '../support/operator.ts';

describe('views of ops', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, worker_processes cascade; delete from queue_jobs'));

  const view = <Row extends object>(name: string) => intentDb.query<Row>(`select * from ops.${name}`);

  it('failed_intents: those that ended without an effect, newest first', async () => {
    const failed = await intentAt(intentDb, 'failed');
    const expired = await intentAt(intentDb, 'expired');
    for (const place of ['queued', 'sent', 'in_doubt', 'succeeded'] as const) await intentAt(intentDb, place);

    const found = await view<{ intent_id: string; problem_code: string; problem_reason: string }>('failed_intents');

    expect(found.map(({ intent_id }) => intent_id)).to.deep.equal([expired, failed]);
    expect(found[1]).to.include({ problem_code: 'VENUE_REJECTED', problem_reason: 'too_small', owner: 'ptn_a' });
  });

  it('undecided_intents: those that ended without proof of what came of them, with the safe action', async () => {
    const id = await intentAt(intentDb, 'sent', { kind: 'payouts/link' });
    await intentAt(intentDb, 'failed');
    const problem = { code: 'PROCESSOR_SILENT', effect: 'unknown' };
    await intentDb.query('select settle_intent($1, 1, $2, $3)', [id, 'failed', { problem }]);

    const found = await view<{ intent_id: string }>('undecided_intents');
    const failed = await view<{ intent_id: string; effect: string }>('failed_intents');

    expect(found).to.have.length(1);
    expect(found[0]).to.include({ intent_id: id, problem_code: 'PROCESSOR_SILENT' });
    expect(failed.map(({ effect }) => effect)).to.deep.equal(['none', 'unknown']);
  });

  it('intents_in_doubt: those sent with an unknown effect, with the next reconciliation', async () => {
    const [planned, forgotten] = [await intentAt(intentDb, 'in_doubt'), await intentAt(intentDb, 'in_doubt')];
    await intentDb.finishJobs(forgotten);
    await intentDb.query(`select mark_in_doubt($1, 1, 60, 'etimedout')`, [planned]);
    await intentDb.query('select mark_in_doubt($1, 1, 60)', [planned]);

    const found = await view<{ intent_id: string; because: string; next_reconcile_at: Date | null }>(
      'intents_in_doubt',
    );
    const story = await intentDb.query<{ detail: string }>('select * from ops.history($1)', [planned]);

    expect(found.map(({ intent_id }) => intent_id)).to.deep.equal([planned, forgotten]);
    expect(found[0]?.next_reconcile_at).to.be.a('date');
    expect(found.map(({ because }) => because)).to.deep.equal(['etimedout', null]);
    expect(story.at(-1)?.detail).to.match(/, in doubt: etimedout$/);
    expect(found[1]).to.include({ next_reconcile_at: null, reconcile_attempts: 1 });
  });

  it('stuck_lanes: lanes without progress, why, and the intent to run again', async () => {
    const at = (lane: string) => intentAt(intentDb, 'queued', { lane });
    const [fine, lost, dead, abandoned] = [await at('fine'), await at('lost'), await at('dead'), await at('abandoned')];
    const [headless, behind] = [await at('headless'), await at('headless')];
    await lockJobs(intentDb, fine, await workerSeen(intentDb, 1));
    await intentDb.finishJobs(lost);
    await exhaustJobs(intentDb, dead);
    await lockJobs(intentDb, abandoned, await workerSeen(intentDb, 60));
    await intentDb.query(`update lanes set head = null where name = 'headless'`);

    const found = await view<{ lane: string; because: string; rerun: string; open: number }>('stuck_lanes');

    expect(found.map(({ lane, because, rerun }) => [lane, because, rerun])).to.have.deep.members([
      ['lost', 'its head has no job', lost],
      ['dead', "the attempts of its head's job are used up", dead],
      ['abandoned', 'the worker that holds its head is dead', abandoned],
      ['headless', 'nothing open is at its head', headless],
    ]);
    expect(found.find(({ lane }) => lane === 'headless')?.open).to.equal(2);
    expect(behind).to.not.equal(headless);
  });

  it('stuck_intents: open ones whose turn it is and that no worker executes', async () => {
    const [alone, reconciled, inLane] = [
      await intentAt(intentDb, 'queued'),
      await intentAt(intentDb, 'in_doubt', { lane: 'left' }),
      await intentAt(intentDb, 'queued', { lane: 'a' }),
    ];
    const [behind, fine] = [await intentAt(intentDb, 'queued', { lane: 'a' }), await intentAt(intentDb, 'queued')];
    await exhaustJobs(intentDb, alone);
    for (const id of [reconciled, inLane]) await intentDb.finishJobs(id);
    await lockJobs(intentDb, fine, await workerSeen(intentDb, 1));

    const found = await view<{ intent_id: string; because: string }>('stuck_intents');

    expect(found.map(({ intent_id, because }) => [intent_id, because])).to.deep.equal([
      [alone, 'the attempts of its job are used up'],
      [reconciled, 'it has no job'],
      [inLane, 'it has no job'],
    ]);
    expect(found.map(({ intent_id }) => intent_id)).not.to.include(behind);
  });

  it('queue_ages: due, scheduled, running and abandoned jobs of each task', async () => {
    const [ready, running, dead] = [
      await intentAt(intentDb, 'queued'),
      await intentAt(intentDb, 'queued'),
      await intentAt(intentDb, 'queued'),
    ];
    await intentAt(intentDb, 'queued');
    const inDoubt = await intentAt(intentDb, 'in_doubt', { kind: 'network/cancel' }); // its reconciliation is scheduled
    await intentDb.query(
      `delete from queue_jobs where payload ->> 'intent_id' = $1 and run_at <= now()`, // the one that sent it
      [inDoubt],
    );
    await intentDb.query(
      `update queue_jobs set run_at = now() - interval '90 seconds' where payload ->> 'intent_id' = $1`,
      [ready],
    );
    await lockJobs(intentDb, running, await workerSeen(intentDb, 1));
    await exhaustJobs(intentDb, dead);

    const found = await view<{ task: string; oldest_ready_s: number | null }>('queue_ages');

    const [place, cancel] = [
      found.find(({ task }) => task === 'network/place'),
      found.find(({ task }) => task === 'network/cancel'),
    ];
    expect(place).to.include({ ready: 2, planned: 0, running: 1, dead: 1 });
    expect(place?.oldest_ready_s).to.be.within(90, 120);
    expect(cancel).to.include({ ready: 0, planned: 1, running: 0, dead: 0, oldest_ready_s: null });
  });

  it('intent_ages: open ones by state and kind', async () => {
    await intentAt(intentDb, 'queued');
    await intentAt(intentDb, 'queued', { kind: 'network/cancel' });
    await intentAt(intentDb, 'in_doubt');
    await intentAt(intentDb, 'succeeded');
    await intentDb.query(`update intents set created_at = now() - interval '1 minute' where state = 'in_doubt'`);

    const found = await view<{ oldest_s: number }>('intent_ages');

    expect(found.map(({ oldest_s, ...rest }) => rest)).to.deep.equal([
      { state: 'in_doubt', kind: 'network/place', count: 1 },
      { state: 'queued', kind: 'network/cancel', count: 1 },
      { state: 'queued', kind: 'network/place', count: 1 },
    ]);
    expect(found[0]?.oldest_s).to.be.within(60, 90);
  });

  it('workers: last heartbeat, held lock and number of jobs', async () => {
    const id = await intentAt(intentDb, 'queued');
    const [pool] = [await workerSeen(intentDb, 3), await workerSeen(intentDb, 100)];
    await lockJobs(intentDb, id, pool);
    const keeper = await intentDb.session();
    await keeper.query(`select pg_advisory_lock(884422, min(lock_key)::integer) from worker_processes`);

    const found = await view<{ seen_s_ago: number; has_lock: boolean; jobs: number }>('workers');

    expect(found.map(({ has_lock, jobs }) => [has_lock, jobs])).to.have.deep.members([
      [true, 1],
      [false, 0],
    ]);
    expect(Math.max(...found.map(({ seen_s_ago }) => seen_s_ago))).to.be.within(100, 130);
    await keeper.query('select pg_advisory_unlock_all()');
  });

  it('workers: says in psql after how long a silent one counts as dead', async () => {
    const [limits] = await intentDb.query<{ dead_s: number; stopped_s: number }>('select * from worker_limits()');
    const [comment] = await intentDb.query<{ says: string }>(`select obj_description('ops.workers'::regclass) as says`);

    expect(comment?.says).to.include(
      `after ${limits?.dead_s} s without the lock, after ${limits?.stopped_s} s with it`,
    );
  });

  it('actions: what operators did, by any means, and nothing changes it', async () => {
    const id = await intentAt(intentDb, 'succeeded');
    await intentDb.query(`select * from ops.rerun($1, 'ada', 'a test')`, [id]);
    await intentDb.query(`insert into admins (id, email, password_hash) values ('adn_1', 'a@example.com', 'x')`);
    await intentDb.query(
      `insert into admin_audit (admin_id, action, subject) values ('adn_1', 'app.disable', 'app_1')`,
    );
    await intentDb.query(
      `insert into operator_actions (operator, action, why) values ('admin:adn_1', 'refund', 'asked')`,
    );
    const [me] = await intentDb.query<{ login: string }>('select session_user as login');

    const found = await intentDb.query<{ who: string; action: string; subject: string | null }>(
      'select a.who, a.action, a.subject from ops.actions a order by a.at',
    );

    expect(found).to.deep.equal([
      { who: me?.login, action: 'rerun', subject: id },
      { who: 'admin:adn_1', action: 'app.disable', subject: 'app_1' },
      { who: 'admin:adn_1', action: 'refund', subject: null },
    ]);
    for (const change of [
      `update operator_actions set why = 'other'`,
      'delete from operator_actions',
      'truncate operator_actions',
    ])
      await intentDb.query(change).then(
        () => expect.fail(`not rejected: ${change}`),
        (error) => expect(error).to.have.property('code', '23001'),
      );
  });

  it('story: one intent from its acceptance to its current state', async () => {
    const ahead = await intentAt(intentDb, 'queued', { lane: 'a', request_id: 'req-1' });
    const id = await intentAt(intentDb, 'in_doubt', { lane: 'b' });
    const behind = await intentAt(intentDb, 'queued', { lane: 'a' });
    await intentDb.query(`select * from ops.rerun($1, 'ada', 'a test')`, [id]);
    const story = async (of: string) =>
      (await intentDb.query<{ what: string; detail: string }>('select * from ops.history($1)', [of])).map(
        ({ what, detail }) => `${what}: ${detail}`,
      );

    const [inDoubt, queued, waiting] = [await story(id), await story(ahead), await story(behind)];

    expect(inDoubt.slice(0, 2).join('\n')).to.match(
      /^accepted: network\/place for ptn_a, to be sent by .* UTC\nsent: /,
    );
    expect(inDoubt.join('\n')).to.match(/operator: \w+ rerun: reconcile_again, a test/);
    expect(inDoubt.join('\n')).to.match(/job: network\/place, attempt 0 of 25, due \d\d:\d\d:\d\d UTC/);
    expect(inDoubt.at(-1)).to.equal('now: in_doubt, after 1 claims and 1 reconcile attempts');
    expect(queued[0]).to.contain('(request req-1)');
    expect(queued.join('\n')).to.contain('lane: a: at its head, 2 queued');
    expect(waiting.join('\n')).to.contain(`lane: a: behind ${ahead}, 2 queued`);
    expect(await story('0190aaaa-0000-7000-8000-000000000000')).to.deep.equal([]);
  });

  it('each have a comment in the database, as every function has', async () => {
    const unexplained = await intentDb.query(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'ops'::regnamespace and c.relkind = 'v' and obj_description(c.oid, 'pg_class') is null
      union all
      select p.proname from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and obj_description(p.oid, 'pg_proc') is null`);

    expect(unexplained).to.deep.equal([]);
  });
});
