import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const WAITS_MS = 300;

describe('plans of a task that all traders share', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  afterEach(() => intentDb.close());

  /** Two sessions: a transaction that is open, and one that waits no longer than a moment for its locks. */
  async function sessions() {
    const [open, other] = [await intentDb.session(), await intentDb.session()];
    await other.query(`set lock_timeout = ${WAITS_MS}`);
    await open.query('begin');
    return [open, other] as const;
  }

  const tasks = async () => (await intentDb.jobs()).map(({ task }) => task);

  for (const [planned, task] of [
    [`plan_comparison('netvenue', 0)`, 'network/audit'],
    [`plan_comparison('exvenue', 0)`, 'exchange/audit'],
    ['plan_exit_watch(0)', 'exchange/watch'],
  ] as const)
    it(`at once wait for no other that is not committed yet: ${planned}`, async () => {
      await intentDb.query(`select ${planned}; delete from queue_jobs`); // the first one makes the queue know the task
      const [open, other] = await sessions();
      await open.query(`select ${planned}`);

      await other.query(`select ${planned}`);

      expect(await tasks()).to.deep.equal([task]);
      await open.query('commit');
      expect(await tasks()).to.deep.equal([task, task]);
    });

  it('are one job of a transaction that plans twice', async () => {
    await intentDb.query('select plan_exit_watch(0), plan_exit_watch(0)');

    expect(await tasks()).to.deep.equal(['exchange/watch']);
  });

  it('let the order of one trader with exits end while the end of that of another is not committed', async () => {
    const claims = [];
    for (const [owner, trader] of [
      ['ptn_a', 'e_1'],
      ['ptn_b', 'e_2'],
    ] as const) {
      const one = item({ owner, lane: `netvenue:${trader}:BTCUSDC`, request: { trader } });
      await intentDb.accept(one);
      const exits = `'[{"stop_loss": "90"}]'`;
      await intentDb.query(`select want_exits('netvenue', '${owner}', '${trader}', 'BTCUSDC', $1, $1, ${exits})`, [
        one.id,
      ]);
      const claim = await intentDb.claim(one.id);
      await intentDb.beginSending(one.id, claim?.fence ?? 0);
      claims.push({ id: one.id, fence: claim?.fence ?? 0 });
    }
    await intentDb.query(`select take_traders_due('netvenue', 10, 60)`);
    const [open, other] = await sessions();
    const [first, second] = claims;
    expect(await open.settle(String(first?.id), Number(first?.fence))).to.equal(true);

    expect(await other.settle(String(second?.id), Number(second?.fence))).to.equal(true);

    await open.query('commit');
    const due = await intentDb.query('select from wanted_exits where due_at <= now() and is_changed');
    expect(due).to.have.length(2);
  });

  it('let a key be enrolled while another partner, whose event log somebody holds, enrolls one', async () => {
    const [holder, other] = await sessions();
    const enroll = `select enroll_key($1, $2, gen_random_uuid(), $2, 'sealed', false, null, null)`;
    await holder.query(`select record_event('ptn_a', 'x', '{}')`);
    const held = intentDb.query(enroll, ['ptn_a', '0xa']);
    await until('it waits', async () => (await other.query(WAITING)).length > 0);

    await other.query(enroll, ['ptn_b', '0xb']);

    await holder.query('commit');
    await held;
    expect((await tasks()).toSorted()).to.deep.equal(['enrollments/verify', 'exchange/watch']);
  });

  it('after a delay are one job, at the earliest time', async () => {
    for (const delay of [60, 5, 30]) await intentDb.query(`select plan_comparison('netvenue', ${delay})`);

    const jobs = await intentDb.jobs();
    expect(jobs.map(({ task }) => task)).to.deep.equal(['network/audit']);
    expect(jobs[0]?.in_ms).to.be.within(4_000, 5_000);
  });

  it('after a delay are at the earliest time also when two plan at once', async () => {
    const [open, other] = await sessions();
    await open.query(`select plan_comparison('netvenue', 5)`);
    await other.query('set lock_timeout = 0');
    const later = other.query(`select plan_comparison('netvenue', 60)`);
    await open.query('commit');
    await later;

    expect((await intentDb.jobs())[0]?.in_ms).to.be.below(5_001);
  });
});
