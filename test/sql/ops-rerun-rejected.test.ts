import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt, lockJobs, type Operator, operatorOf, workerSeen } from '../support/operator.ts';

describe('ops.rerun does nothing', () => {
  let intentDb: IntentDatabase;
  let operator: Operator;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = operatorOf(intentDb);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, worker_processes cascade; delete from queue_jobs'));

  const jobs = async () => (await intentDb.jobs()).map(({ task, intent_id }) => [task, intent_id]);
  /** Every table a re-run could change, except the record of operator actions. */
  const rows = async () => [
    await intentDb.query('select * from intents order by id'),
    await intentDb.query('select * from lanes order by name'),
    await intentDb.query('select * from queue_jobs order by id'),
  ];

  for (const ending of ['succeeded', 'failed', 'expired'] as const) {
    it(`to an intent that has ${ending}, and says so`, async () => {
      const id = await intentAt(intentDb, ending, { lane: 'a' });
      const before_ = await rows();

      const result = await operator.rerun(id);

      expect(result).to.include({ done: false, verdict: 'finished', is_safe: true, would_do: 'nothing' });
      expect(result?.venue_says).to.equal(
        { succeeded: 'yes', failed: 'no: VENUE_REJECTED, too_small', expired: null }[ending],
      );
      expect(await rows()).to.deep.equal(before_);
    });
  }

  for (const code of ['SUBACCOUNT_AMBIGUOUS', 'PROCESSOR_SILENT', 'V1_ORDER_NOT_RESTING']) {
    it(`when it ended without proof: ${code}`, async () => {
      const id = await intentAt(intentDb, 'sent', { kind: 'accounts/provision' });
      await intentDb.query('select settle_intent($1, 1, $2, $3)', [
        id,
        'failed',
        { problem: { code, effect: 'unknown' } },
      ]);
      const before_ = await rows();

      expect(await operator.rerun(id)).to.include({
        done: false,
        verdict: 'would_act_twice',
        is_safe: false,
        venue_says: `nothing that decides it: ${code}`,
      });
      expect(await rows()).to.deep.equal(before_);
    });
  }

  for (const kind of ['payments/refund', 'payments/checkout', 'payouts/submit', 'payouts/pay', 'payouts/reverse'])
    it(`when the processor may have forgotten its key: ${kind}`, async () => {
      const id = await intentAt(intentDb, 'in_doubt', { kind });
      await intentDb.query(`update intents set sending_at = now() - interval '1 day' where id = $1`, [id]);
      const before_ = await rows();

      const result = await operator.rerun(id);

      expect(result).to.include({ done: false, verdict: 'would_act_twice', is_safe: false, would_do: 'nothing' });
      expect(result?.reason).to.match(/sent 24 h ago, and the processor keeps its key for 24 h/);
      expect(await rows()).to.deep.equal(before_);
    });

  it('when it was sent and cannot be reconciled', async () => {
    const id = await intentAt(intentDb, 'sent', { kind: 'unheard/of' });
    await intentDb.finishJobs(id);

    expect(await operator.rerun(id)).to.include({ done: false, verdict: 'would_act_twice', is_safe: false });
    expect(await jobs()).to.deep.equal([]);
  });

  for (const [held, pool] of [
    ['that was seen just now', () => workerSeen(intentDb, 1)],
    ['that is only registering', async () => 'pool-new'],
  ] as const) {
    it(`while a worker is executing it ${held}`, async () => {
      const id = await intentAt(intentDb, 'sent');
      await lockJobs(intentDb, id, await pool());
      const before_ = await rows();

      const result = await operator.rerun(id);

      expect(result).to.include({ done: false, verdict: 'at_work', is_safe: false });
      expect(result?.reason).to.match(/a living worker has had it for 0 s/);
      expect(await rows()).to.deep.equal(before_);
    });
  }

  it('while a worker without heartbeats holds its lock, until 8 s after the last one', async () => {
    const id = await intentAt(intentDb, 'sent');
    const pool = await workerSeen(intentDb, 6);
    await lockJobs(intentDb, id, pool);
    const keeper = await intentDb.session();
    const hold = 'select pg_advisory_lock(884422, lock_key::integer) from worker_processes';

    expect(await operator.assess(id)).to.include({ verdict: 'reconcile_again' });
    await keeper.query(hold);
    expect(await operator.assess(id)).to.include({ verdict: 'at_work' });
    await intentDb.query(`update worker_processes set seen_at = now() - interval '9 seconds'`);
    expect(await operator.assess(id)).to.include({ verdict: 'reconcile_again' });
    await keeper.query('select pg_advisory_unlock_all()');
  });

  it('while it has its job, and reports when that is due', async () => {
    const ready = await intentAt(intentDb, 'queued');
    const planned = await intentAt(intentDb, 'running');
    await intentDb.finishJobs(planned);
    await intentDb.retry(planned, 1, 30);

    expect(await operator.rerun(ready)).to.include({
      verdict: 'at_work',
      reason: 'its job is queued; workers alive: 0',
    });
    expect((await operator.rerun(planned))?.reason).to.match(/^its job is queued and due in \d+ s/);
    expect(await jobs()).to.have.length(2);
  });

  it('while it waits in its lane, and names the intent before it', async () => {
    const head = await intentAt(intentDb, 'queued', { lane: 'a' });
    const behind = await intentAt(intentDb, 'queued', { lane: 'a' });
    await intentDb.finishJobs(head);

    const result = await operator.rerun(behind);

    expect(result).to.include({ done: false, verdict: 'at_work' });
    expect(result?.reason).to.contain(head);
    expect(await jobs()).to.deep.equal([]);
    expect(await intentDb.headOf('a')).to.equal(head);
  });
});
