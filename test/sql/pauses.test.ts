import { expect } from 'chai';
import { type DbSession, type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
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

  const pause = (upstream: string, holdsExits = false) =>
    intentDb.query(`select pause_work($1, $2, 'op', 'wrong prices')`, [upstream, holdsExits]);
  const waits = async (id: string, fence: number, session: DbSession = intentDb, exits = false) => {
    const [row] = await session.query<{ ok: boolean }>('select wait_for_pause($1, $2, $3, false) ok', [
      id,
      fence,
      exits,
    ]);
    return row?.ok;
  };

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

  it('of a partner holds its work alone, and lets go on that alone, not what is held at an upstream', async () => {
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

  it('lets go on the first of a lane, and nothing that stands behind it', async () => {
    const [first, second] = [item({ lane: 'l' }), item({ lane: 'l' })];
    await intentDb.accept(first, second);
    const { fence = 0 } = (await intentDb.claim(first.id)) ?? {};
    await intentDb.finishJobs(first.id);
    await pause('netvenue');
    expect(await waits(first.id, fence)).to.equal(true);

    await intentDb.query(`select end_pause('netvenue', 'op', 'it is over')`);

    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.deep.equal([first.id]);
  });

  it('is asked again by an exit that is accepted at the moment at which an entry of its lane begins to wait', async () => {
    const [entry, exit] = [item({ lane: 'l' }), item({ lane: 'l', kind: 'network/close' })];
    await intentDb.accept(entry);
    const { fence = 0 } = (await intentDb.claim(entry.id)) ?? {};
    await intentDb.finishJobs(entry.id);
    await pause('netvenue');
    const worker = await intentDb.session();
    await worker.query('begin');
    expect(await waits(entry.id, fence, worker)).to.equal(true);

    const accepted = intentDb.accept(exit);
    await until('the exit waits for the worker', async () => (await worker.query(WAITING)).length > 0 || null);
    await worker.query('commit');
    await accepted;

    expect(await queuedNow()).to.deep.equal([entry.id]);
    const again = (await intentDb.claim(entry.id))?.fence ?? 0;
    expect(await waits(entry.id, again)).to.equal(true);
    await intentDb.claim(entry.id);
    expect(await intentDb.row(entry.id)).to.include({ state: 'expired' });
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(exit.id);
  });

  it('is asked again by an exit that takes over a key, too', async () => {
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

  it('of one owner keeps no exit of another waiting, whoever works at that pause', async () => {
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A') on conflict do nothing`);
    await pause('ptn_a');
    const operator = await intentDb.session();
    await operator.query(`begin; select pause_work('ptn_a', true, 'op', 'they asked')`);

    const others = { owner: 'ptn_b', lane: 'l' };
    const accepted = await intentDb.accept(item(others), item({ ...others, kind: 'network/close' }));
    await operator.query('rollback');

    expect(accepted.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'accepted']);
  });

  for (const kind of ['exchange/place', 'exchange/cancel'])
    it(`of one owner keeps no ${kind} of another waiting in a lane of both`, async () => {
      await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A') on conflict do nothing`);
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

  it('lets entries wait for their deadline that only entries, and exits which it holds too, stand behind', async () => {
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

  it('lets go on the exits that it held, once it is replaced by one that holds none', async () => {
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
