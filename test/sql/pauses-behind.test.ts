import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { pausesOf } from '../support/pauses.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

describe('what a pause holds, with others behind it in its lane,', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, paces, pauses cascade; delete from queue_jobs'),
  );
  const { queuedNow } = slotsOf(() => intentDb);
  const { pause, waits } = pausesOf(() => intentDb);

  for (const [what, subject, more] of [
    ['an exit', 'netvenue', { kind: 'network/close' }],
    ['what another owner sends', 'ptn_a', { owner: 'ptn_b' }],
  ] as const)
    it(`is checked again for ${what} that is accepted at the moment when an entry of its lane begins to wait`, async () => {
      const [entry, behind] = [item({ lane: 'l' }), item({ lane: 'l', ...more })];
      await intentDb.accept(entry);
      const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
      await intentDb.finishJobs(entry.id);
      await pause(subject);
      const worker = await intentDb.session();
      await worker.query('begin');
      expect(await waits(entry.id, fence, worker)).to.equal(true);

      const accepted = intentDb.accept(behind);
      await Promise.race([
        accepted,
        until('it waits for the worker', async () => (await worker.query(WAITING)).length > 0 || null),
      ]);
      await worker.query('commit');
      await accepted;

      expect(await queuedNow()).to.deep.equal([entry.id]);
      const again = (await intentDb.claim(entry.id))?.fence ?? 0;
      expect(await waits(entry.id, again)).to.equal(true);
      await intentDb.claim(entry.id);
      expect(await intentDb.row(entry.id)).to.include({ state: 'expired' });
      expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(behind.id);
    });

  it('is checked again for an exit that takes over a key', async () => {
    const exit = { lane: 'l', kind: 'network/close', idempotency_key: 'again' };
    const [first, entry, again] = [item(exit), item({ lane: 'l' }), item(exit)];
    await intentDb.accept(first);
    const { fence: ended = 0 } = (await intentDb.claim(first.id)) ?? {};
    await intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "RATE_LIMITED"}}')`, [
      first.id,
      ended,
    ]);
    await intentDb.accept(entry);
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await intentDb.query('delete from queue_jobs');
    await pause('netvenue');
    await waits(entry.id, fence);

    const [verdict] = await intentDb.accept(again);

    expect(verdict).to.include({ intent_id: again.id, verdict: 'accepted' });
    expect(await queuedNow()).to.deep.equal([entry.id]);
  });

  it('sees the exit that was accepted while an entry of its lane was about to wait', async () => {
    const [entry, exit] = [item({ lane: 'l' }), item({ lane: 'l', kind: 'network/close' })];
    await intentDb.accept(entry);
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await pause('netvenue');
    const web = await intentDb.session();
    await web.query('begin');
    await web.accept(exit);

    const waiting = waits(entry.id, fence);
    await until('the worker waits for the exit', async () => (await web.query(WAITING)).length > 0 || null);
    await web.query('commit');

    expect(await waiting).to.equal(true);
    await intentDb.claim(entry.id);
    expect(await intentDb.row(entry.id)).to.include({ state: 'expired' });
  });

  it('of one owner and that of another do not deadlock with the exits of both, where a batch has an entry of each', async () => {
    const entries = [item({ lane: 'b', owner: 'ptn_b' }), item({ lane: 'a' })] as const;
    await intentDb.accept(...entries);
    const fences: number[] = [];
    for (const { id } of entries) fences.push((await intentDb.claim(id))?.fence ?? 0);
    for (const subject of ['ptn_b', 'ptn_a']) await pause(subject);
    const worker = await intentDb.session();
    await worker.query('begin');
    expect(await waits(entries[0].id, fences[0] ?? 0, worker)).to.equal(true);

    const exit = { kind: 'network/close' };
    const accepted = intentDb.accept(item({ lane: 'a', ...exit }), item({ lane: 'b', owner: 'ptn_b', ...exit }));
    accepted.catch(() => {}); // read below
    await until('they wait for the worker', async () => (await worker.query(WAITING)).length > 0);
    expect(await waits(entries[1].id, fences[1] ?? 0, worker)).to.equal(true);
    await worker.query('commit');

    expect((await accepted).map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'accepted']);
  });

  it('of one owner delays no exit of another, whoever changes that pause', async () => {
    await pause('ptn_a');
    const operator = await intentDb.session();
    await operator.query(`begin; select pause_work('ptn_a', true, 'op', 'they asked')`);

    const others = { owner: 'ptn_b', lane: 'l' };
    const accepted = await intentDb.accept(item(others), item({ ...others, kind: 'network/close' }));
    await operator.query('rollback');

    expect(accepted.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'accepted']);
  });

  for (const kind of ['exchange/place', 'exchange/cancel'])
    it(`of one owner delays no ${kind} of another in a lane of both`, async () => {
      const [held, other] = [item({ lane: 'l', kind: 'exchange/cancel' }), item({ lane: 'l', kind, owner: 'ptn_b' })];
      await intentDb.accept(held);
      const { fence = 0 } = (await intentDb.claim(held.id)) ?? {};
      await intentDb.finishJobs(held.id);
      await pause('ptn_a', true);
      expect(await waits(held.id, fence)).to.equal(true);

      await intentDb.accept(other);

      expect(await queuedNow()).to.deep.equal([held.id]);
      const again = (await intentDb.claim(held.id))?.fence ?? 0;
      expect(await waits(held.id, again)).to.equal(true);
      await intentDb.claim(held.id);
      expect(await intentDb.row(held.id)).to.include({ state: 'expired' });
      expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(other.id);
    });

  it('of one owner is checked again for what another sends, although that one has the head of the lane', async () => {
    const [head, held, behind] = [
      item({ lane: 'l', owner: 'ptn_b', alongside: 'x long' }),
      item({ lane: 'l', alongside: 'x long' }),
      item({ lane: 'l', owner: 'ptn_b' }),
    ];
    await intentDb.accept(head, held);
    await intentDb.claim(head.id);
    const { fence = 0 } = (await intentDb.claim(held.id)) ?? {};
    await intentDb.query('delete from queue_jobs');
    await pause('ptn_a');
    expect(await waits(held.id, fence)).to.equal(true);

    await intentDb.accept(behind);

    expect(await queuedNow()).to.deep.equal([held.id]);
  });

  it('of one owner is checked again once the pause of another, who has sent something since, is over', async () => {
    const [held, behind] = [item({ lane: 'l' }), item({ lane: 'l', owner: 'ptn_b' })];
    await intentDb.accept(held);
    const { fence = 0 } = (await intentDb.claim(held.id)) ?? {};
    await intentDb.finishJobs(held.id);
    await Promise.all([pause('ptn_a'), pause('ptn_b')]);
    await waits(held.id, fence);
    await intentDb.accept(behind);
    const asked = (await intentDb.claim(held.id))?.fence ?? 0;
    await intentDb.finishJobs(held.id);
    expect(await waits(held.id, asked)).to.equal(true);
    expect(await queuedNow()).to.deep.equal([]);

    await intentDb.query(`select end_pause('ptn_b', 'op', 'it is over')`);

    expect(await queuedNow()).to.deep.equal([held.id]);
    const again = (await intentDb.claim(held.id))?.fence ?? 0;
    await waits(held.id, again);
    await intentDb.claim(held.id);
    expect(await intentDb.row(held.id)).to.include({ state: 'expired' });
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(behind.id);
  });

  it('lets entries wait for their deadline if only entries, and exits that it holds too, wait behind them', async () => {
    const [entry, next, exit] = [item({ lane: 'l' }), item({ lane: 'l' }), item({ lane: 'l', kind: 'network/close' })];
    await intentDb.accept(entry, next);
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await intentDb.finishJobs(entry.id);
    await pause('netvenue', true);
    expect(await waits(entry.id, fence)).to.equal(true);
    await intentDb.accept(exit);

    const again = (await intentDb.claim(entry.id))?.fence ?? 0;
    expect(await waits(entry.id, again)).to.equal(true);

    expect(await intentDb.claim(entry.id)).to.include({ state: 'running' });
  });

  it('lets an entry wait for its deadline whatever exits there are in other lanes, or before it in its own', async () => {
    const exit = { kind: 'network/close' };
    const [before, entry] = [item({ lane: 'l', alongside: '1 x', ...exit }), item({ lane: 'l', alongside: '2 x' })];
    await intentDb.accept(
      before,
      entry,
      item({ lane: 'm' }),
      item({ lane: 'm', ...exit }),
      item({ lane: 'n', ...exit }),
    );
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await pause('netvenue');

    expect(await waits(entry.id, fence)).to.equal(true);

    expect(await intentDb.claim(entry.id)).to.include({ state: 'running' });
  });

  it('has no second job if it is executed while the pause ends: that would be taken for the end of its worker', async () => {
    const entry = item({ lane: 'l' });
    await intentDb.accept(entry);
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await intentDb.finishJobs(entry.id);
    await pause('netvenue');
    await waits(entry.id, fence);
    await intentDb.query(`update queue_jobs set locked_at = now(), locked_by = 'w' where key = 'slot ' || $1`, [
      entry.id,
    ]);

    await intentDb.query(`select end_pause('netvenue', 'op', 'over')`);

    expect(await intentDb.jobs()).to.have.length(1);
  });
});
