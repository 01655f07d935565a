import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

const CRON = '{"_cron": {"ts": "2026-11-23T18:00:00.000Z", "backfilled": false}}';

describe('jobs that a newer job with the same key has replaced while a worker had them', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate worker_processes, intents cascade; delete from queue_jobs'));

  const add = (task: string, payload: string, key: string) =>
    intentDb.query('select graphile_worker.add_job($1, $2::json, job_key => $3, max_attempts => 25)', [
      task,
      payload,
      key,
    ]);
  const lock = (worker: string) =>
    intentDb.query('update queue_jobs set locked_by = $1, locked_at = now() where locked_at is null', [worker]);
  const worker = (name: string, silentS: number) =>
    intentDb.query(
      'insert into worker_processes (id, pool_ids, seen_at) values (gen_random_uuid(), array[$1], now() - make_interval(secs => $2))',
      [name, silentS],
    );
  const reap = () => intentDb.query('select reap_dead_workers(gen_random_uuid(), 4, 8, 60)');
  const left = () =>
    intentDb.query('select task, key, locked_by from queue_jobs order by task, key nulls first, locked_by nulls first');
  const dead = async () =>
    (await intentDb.query<{ task: string }>('select task from ops.dead_jobs order by task')).map(({ task }) => task);

  for (const [task, payload, key] of [
    ['exchange/watch', CRON, 'watch'],
    ['trading/watch', '{"account": "a"}', 'trading/watch:a'],
    ['network/audit', '{}', 'network/audit'],
    ['exchange/audit', '{}', 'exchange/audit'],
    ['ledger/prove', '{}', 'ledger-prove'],
    ['enrollments/verify', '{}', 'verify'],
    ['housekeeping/prune', '{}', 'prune'],
    ['housekeeping/forget', '{}', 'forget'],
    ['webhooks/deliver', '{"endpoint_id": "e", "lane": 1}', 'webhook:e:1'],
    ['webhooks/dispatch', '{"endpoint_id": "e"}', 'webhook:e:dispatch'],
  ] as const) {
    it(`end with a dead worker and are not dead jobs: ${task}`, async () => {
      await worker('killed', 5);
      await add(task, payload, key);
      await lock('killed');
      await add(task, payload, key);
      await reap();

      expect(await dead()).to.deep.equal([]);
      expect(await left()).to.deep.equal([{ task, key, locked_by: null }]);
    });
  }

  for (const kind of ['slot', 'doubt'])
    it(`end with a dead worker: the job of an intent, ${kind === 'slot' ? 'that waits for a slot' : 'in doubt'}`, async () => {
      const { id } = item();
      const payload = JSON.stringify({ intent_id: id });
      await worker('killed', 5);
      await add('network/place', payload, `${kind} ${id}`);
      await lock('killed');
      await add('network/place', payload, `${kind} ${id}`);
      await reap();

      expect(await left()).to.deep.equal([{ task: 'network/place', key: `${kind} ${id}`, locked_by: null }]);
    });

  it('end with a dead worker: the job of an intent that has ended', async () => {
    const one = item();
    await intentDb.accept(one);
    await intentDb.settle(one.id, ((await intentDb.claim(one.id)) as Row).fence);
    await intentDb.query(`update queue_jobs set attempts = max_attempts`);
    const used = await intentDb.query('select drop_superseded_jobs()');

    expect(used).to.have.length(1);
    expect(await left()).to.deep.equal([]);
  });

  it('stay while a living worker has them', async () => {
    await worker('killed', 5);
    await worker('living', 0);
    await add('trading/sweep', CRON, 'trading-sweep');
    await lock('living');
    await add('trading/sweep', CRON, 'trading-sweep');
    await reap();

    expect(await left()).to.deep.equal([
      { task: 'trading/sweep', key: null, locked_by: 'living' },
      { task: 'trading/sweep', key: 'trading-sweep', locked_by: null },
    ]);
  });

  it('end with the next sweep when the worker itself has let go of them', async () => {
    await add('kyc/reconcile', CRON, 'kyc-reconcile');
    await lock('stopping');
    await add('kyc/reconcile', CRON, 'kyc-reconcile');
    await intentDb.query(`select graphile_worker.force_unlock_workers(array['stopping'])`);
    const [{ dropped } = { dropped: 0 }] = await intentDb.query<{ dropped: number }>(
      'select drop_superseded_jobs() dropped',
    );

    expect(dropped).to.equal(1);
    expect(await left()).to.deep.equal([{ task: 'kyc/reconcile', key: 'kyc-reconcile', locked_by: null }]);
  });

  it('keep no dead worker’s jobs from going to others if somebody has queued one for no id', async () => {
    const one = item();
    const ended = item();
    await intentDb.accept(ended);
    await intentDb.settle(ended.id, ((await intentDb.claim(ended.id)) as Row).fence);
    await intentDb.finishJobs(ended.id);
    await intentDb.query(
      `select graphile_worker.add_job('network/place', '{"intent_id": "<its id>"}', max_attempts => 1)`,
    );
    await intentDb.query('update queue_jobs set attempts = max_attempts');
    await worker('killed', 5);
    await intentDb.accept(one);
    await intentDb.query(`update queue_jobs set locked_by = 'killed', locked_at = now() where attempts < max_attempts`);

    await reap();

    expect(
      await intentDb.query('select locked_by from queue_jobs where payload ->> $1 = $2', ['intent_id', one.id]),
    ).to.deep.equal([{ locked_by: null }]);
    await intentDb.query('select drop_superseded_jobs(), drop_finished_jobs()');
    expect(await dead()).to.deep.equal([]);
  });

  it('are not those that may run again', async () => {
    const one = item();
    await intentDb.accept(one);
    await add('network/place', JSON.stringify({ intent_id: one.id }), `slot ${one.id}`);

    await intentDb.query('select drop_superseded_jobs()');

    expect(await left()).to.have.length(2);
  });

  it('are not those that used up their attempts themselves', async () => {
    await worker('killed', 5);
    await add('exchange/watch', CRON, 'watch');
    await add('mail/send', '{"mail_id": "m"}', 'unlike');
    await intentDb.query(`update queue_jobs set attempts = max_attempts, locked_by = 'killed', locked_at = now()`);
    await intentDb.query(`select graphile_worker.add_job('payouts/pay', '{}', max_attempts => 1)`);
    await intentDb.query(`update queue_jobs set attempts = max_attempts where task = 'payouts/pay'`);
    await reap();

    expect(await dead()).to.deep.equal(['exchange/watch', 'mail/send', 'payouts/pay']);
  });
});
