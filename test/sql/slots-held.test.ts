import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('a slot that is freed while an operator holds an exit that waits for it', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = await intentDb.session();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arriveAt, queuedNow } = slotsOf(() => intentDb);
  const arrive = (isExit: boolean) => arriveAt({ slots: 2, forExits: 1, isExit });
  /** An entry and an exit have the slots, others wait; the operator holds the exit. Then one of the first two ends. */
  const freed = async (ofExit: boolean) => {
    const sent = { entry: await arrive(false), exit: await arrive(true) };
    const waiting = { entry: await arrive(false), exit: await arrive(true) };
    expect([waiting.entry.was, waiting.exit.was]).to.deep.equal(['waiting', 'waiting']);
    await operator.query('begin');
    await operator.query('select from intents where id = $1 for update', [waiting.exit.id]);
    const { id, fence } = ofExit ? sent.exit : sent.entry;
    await intentDb.settle(id, fence);
    const queued = await queuedNow();
    await operator.query('commit');
    return { queued, waiting };
  };

  it('goes to the entry that waits', async () => {
    const { queued, waiting } = await freed(false);

    expect(queued).to.deep.equal([waiting.entry.id]);
  });

  it('is kept if it is for exits', async () => {
    const { queued } = await freed(true);

    expect(queued).to.deep.equal([]);
  });
});
