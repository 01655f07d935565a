import { expect } from 'chai';
import {
  type DbSession,
  type IntentDatabase,
  item,
  openIntentDatabase,
  type Row,
  WAITING,
} from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

const AT_MINER = { slots: 2, forExits: 1 };
const EXIT = { kind: 'network/close' };

describe('an entry that exits of its lane wait for', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));

  const { arriveAt, begin, queuedNow } = slotsOf(() => intentDb);

  /** An entry in a lane of its own that is claimed, while its job is still with its worker. */
  async function entryIn(lane: string): Promise<Row> {
    const entry = item({ lane });
    await intentDb.accept(entry);
    await intentDb.finishJobs(entry.id);
    return (await intentDb.claim(entry.id)) as Row;
  }

  it('takes a slot that is kept for exits, once one waits behind it', async () => {
    await arriveAt(AT_MINER);
    const { id, fence } = await entryIn('l');
    expect(await begin(id, fence, AT_MINER)).to.equal('waiting');
    const [entry, exit] = [await entryIn('m'), item({ lane: 'l', ...EXIT })];
    expect(await begin(entry.id, entry.fence, AT_MINER)).to.equal('waiting');

    await intentDb.accept(exit);

    expect(await queuedNow()).to.deep.equal([id]);
    const again = (await intentDb.claim(id)) as Row;
    expect(await begin(id, again.fence, AT_MINER)).to.equal('sent');
  });

  it('takes one at once if the exit was there before the entry had to wait', async () => {
    await arriveAt(AT_MINER);
    const { id, fence } = await entryIn('l');
    await intentDb.accept(item({ lane: 'l', ...EXIT }));

    expect(await begin(id, fence, AT_MINER)).to.equal('sent');
  });

  it('waits for its slot as other entries do while only entries are behind it', async () => {
    await arriveAt(AT_MINER);
    const { id, fence } = await entryIn('l');
    expect(await begin(id, fence, AT_MINER)).to.equal('waiting');

    await intentDb.accept(item({ lane: 'l' }), item({ lane: 'm', ...EXIT }));

    expect(await queuedNow()).to.not.include(id);
  });

  it('is tried again within a second, whichever came first: the exit or the rejection that passes', async () => {
    const [before, after] = [await entryIn('l'), await entryIn('m')];
    const inMs = async ({ id }: Row) => (await intentDb.jobs()).find(({ intent_id }) => intent_id === id)?.in_ms;
    await intentDb.accept(item({ lane: 'l', ...EXIT }));

    await intentDb.retry(before.id, before.fence, 10);
    await intentDb.retry(after.id, after.fence, 10);
    expect(await inMs(before)).to.be.within(500, 1_000);
    expect(await inMs(after)).to.be.within(9_000, 10_000);
    await intentDb.accept(item({ lane: 'm', ...EXIT }));

    expect(await queuedNow()).to.deep.equal([after.id]);
  });

  it('alone is hurried so: an exit that others wait behind keeps its pause', async () => {
    const exit = item({ lane: 'l', ...EXIT });
    await intentDb.accept(exit);
    await intentDb.finishJobs(exit.id);
    const { fence } = (await intentDb.claim(exit.id)) as Row;
    await intentDb.accept(item({ lane: 'l', ...EXIT }));

    await intentDb.retry(exit.id, fence, 10);

    expect((await intentDb.jobs()).find(({ intent_id }) => intent_id === exit.id)?.in_ms).to.be.within(9_000, 10_000);
  });

  it('is as urgent while one is being accepted behind it: when it begins to wait for a slot, and when it is tried again', async () => {
    await arriveAt(AT_MINER);
    const [waits, retried] = [await entryIn('l'), await entryIn('m')];
    const accepting = await intentDb.session();
    await accepting.query('begin');
    await accepting.accept(item({ lane: 'l', ...EXIT }), item({ lane: 'm', ...EXIT }));

    expect(await begin(waits.id, waits.fence, AT_MINER)).to.equal('sent');
    await intentDb.retry(retried.id, retried.fence, 10);
    await accepting.query('commit');

    const again = (await intentDb.jobs()).find(({ intent_id }) => intent_id === retried.id);
    expect(again?.in_ms).to.be.within(500, 1_000);
  });

  it('is found by one that is accepted while it begins to wait, or is put back to be tried again', async () => {
    await arriveAt(AT_MINER);
    const entries = [await entryIn('l'), await entryIn('m')];
    const steps = [
      (session: DbSession, { id, fence }: Row) => begin(id, fence, { ...AT_MINER, session }),
      (session: DbSession, { id, fence }: Row) => session.retry(id, fence, 10),
    ];
    for (const [n, step] of steps.entries()) {
      const entry = entries[n] as Row; // as: one for each step
      const working = await intentDb.session();
      await working.query('begin');
      expect(await step(working, entry)).to.be.oneOf(['waiting', true]);
      const accepted = (await intentDb.session()).accept(item({ lane: 'lm'[n] ?? '', ...EXIT }));
      await Promise.race([accepted, until('it waits', async () => (await intentDb.query(WAITING)).length > 0)]);
      await working.query('commit');
      await accepted;

      expect(await queuedNow()).to.include(entry.id);
    }
  });

  it('has no second job while a worker has its own: that would be taken for the end of the worker', async () => {
    const held = await arriveAt(AT_MINER);
    const { id, fence } = await entryIn('l');
    await begin(id, fence, AT_MINER);
    await intentDb.query(`update queue_jobs set locked_at = now(), locked_by = 'w' where key = 'slot ' || $1`, [id]);

    await intentDb.accept(item({ lane: 'l', ...EXIT }));
    await intentDb.settle(held.id, held.fence);

    expect((await intentDb.jobs()).filter(({ intent_id }) => intent_id === id)).to.have.length(1);
    const again = (await intentDb.claim(id)) as Row;
    expect(await begin(id, again.fence, AT_MINER)).to.equal('sent');
  });
});
