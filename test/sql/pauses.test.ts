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
  const waits = async (id: string, fence: number, session: DbSession = intentDb) => {
    const [row] = await session.query<{ ok: boolean }>('select wait_for_pause($1, $2, false, false) ok', [id, fence]);
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

  it('does not hold exits, also those that take no slot', async () => {
    const [exit, entry] = [item({ kind: 'exchange/cancel' }), item({ kind: 'exchange/place' })];
    await intentDb.accept(exit, entry);
    await pause('exvenue');

    for (const [{ id }, isHeld] of [
      [exit, false],
      [entry, true],
    ] as const) {
      const { fence = 0 } = (await intentDb.claim(id)) ?? {};
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
