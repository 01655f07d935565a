import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { pausesOf } from '../support/pauses.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

describe('the pause of an upstream', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, paces, pauses cascade; delete from queue_jobs'),
  );
  const { arrive, begin, claimed, queuedNow } = slotsOf(() => intentDb);

  const { pause, waits } = pausesOf(() => intentDb);

  it('lets go on what joins those that wait at the moment at which it ends', async () => {
    const { id, fence } = await claimed();
    await pause('netvenue');
    const worker = await intentDb.session();
    await worker.query('begin');
    expect(await waits(id, fence, worker)).to.equal(true);

    const ended = intentDb.query(`select end_pause('netvenue', 'op', 'they are right again') as queued`);
    await Promise.race([
      ended,
      until('the end waits for the worker', async () => (await worker.query(WAITING)).length > 0 || null),
    ]);
    await worker.query('commit');

    expect(await ended).to.deep.equal([{ queued: 1 }]);
    expect(await queuedNow()).to.deep.equal([id]);
  });

  it('of a partner holds up its work alone, and its end lets only that go on, not what is held up at an upstream', async () => {
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A') on conflict do nothing`);
    const [own, elsewhere, other] = [
      item(),
      item({ kind: 'exchange/place', owner: 'ptn_b' }),
      item({ owner: 'ptn_b' }),
    ];
    await intentDb.accept(own, elsewhere, other);
    await pause('ptn_a');
    await pause('exvenue');

    for (const [{ id }, isHeld] of [
      [own, true],
      [elsewhere, true],
      [other, false],
    ] as const) {
      const { fence = 0 } = (await intentDb.claim(id)) ?? {};
      await intentDb.finishJobs(id);
      expect(await waits(id, fence)).to.equal(isHeld);
    }
    expect(await intentDb.query(`select end_pause('ptn_a', 'op', 'it is over') as queued`)).to.deep.equal([
      { queued: 1 },
    ]);

    expect(await queuedNow()).to.deep.equal([own.id]);
    const again = (await intentDb.claim(elsewhere.id))?.fence ?? 0;
    expect(await waits(elsewhere.id, again), 'the pause of the upstream lasts').to.equal(true);
  });

  it('lets the first of a lane go on, and nothing behind it', async () => {
    const [first, second] = [item({ lane: 'l' }), item({ lane: 'l' })];
    await intentDb.accept(first, second);
    const { fence = 0 } = (await intentDb.claim(first.id)) ?? {};
    await intentDb.finishJobs(first.id);
    await pause('netvenue');
    expect(await waits(first.id, fence)).to.equal(true);

    await intentDb.query(`select end_pause('netvenue', 'op', 'it is over')`);

    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.deep.equal([first.id]);
  });

  it('takes nothing from the worker that has claimed it since', async () => {
    const { id, fence } = await claimed();
    await intentDb.retry(id, fence);
    const { fence: newer = 0 } = (await intentDb.claim(id)) ?? {};
    await pause('netvenue');

    expect(await waits(id, fence)).to.equal(false);

    expect(await intentDb.row(id)).to.include({ state: 'running', fence: newer });
  });

  it('does not hold exits, also those that take no slot', async () => {
    const [exit, entry] = [item({ kind: 'exchange/cancel' }), item({ kind: 'exchange/place' })];
    await intentDb.accept(exit, entry);
    await pause('exvenue');

    for (const [{ id }, isHeld] of [
      [exit, false],
      [entry, true],
    ] as const) {
      const { fence = 0 } = (await intentDb.claim(id)) ?? {};
      expect(await waits(id, fence, intentDb, true), 'an exit by its request').to.equal(false);
      expect(await waits(id, fence)).to.equal(isHeld);
    }
  });

  it('lets the exits go on that it held up, once it is replaced by one that lets exits pass', async () => {
    const exit = item({ kind: 'exchange/cancel' });
    await intentDb.accept(exit);
    const { fence = 0 } = (await intentDb.claim(exit.id)) ?? {};
    await intentDb.query('delete from queue_jobs'); // its worker has ended the job
    await pause('exvenue', true);
    expect(await waits(exit.id, fence)).to.equal(true);
    expect(await queuedNow()).to.deep.equal([]);

    await pause('exvenue', false);

    expect(await queuedNow()).to.deep.equal([exit.id]);
    const again = (await intentDb.claim(exit.id))?.fence ?? 0;
    expect(await waits(exit.id, again)).to.equal(false);
  });

  it('gives the slot to the next that was handed to one that it holds', async () => {
    const [first, , handed] = await arrive(3);
    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);
    const { id = '', fence = 0 } = (await intentDb.claim(handed?.id ?? '')) ?? {};
    await pause('netvenue');

    expect(await waits(id, fence)).to.equal(true);

    const next = await claimed();
    expect(await begin(next.id, next.fence)).to.equal('sent');
  });
});
