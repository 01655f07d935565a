import { expect } from 'chai';
import { type IntentDatabase, WAITING as LOCKED, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

const [BEFORE, AFTER, WAITING] = [6, 3, 12];

describe('slots of an upstream that become fewer while others wait for them', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );
  const { arriveAt, begin, claimed, proceedAt, respond, queuedNow } = slotsOf(() => intentDb);

  /** Ends the requests that are there one by one and sends what is handed a slot. Returns how many were there after each end. */
  async function runOut(
    there: Pick<Row, 'id' | 'fence'>[],
    upstream: { slots: number; forExits?: number },
  ): Promise<number[]> {
    const counts: number[] = [];
    for (let next = there.shift(); next; next = there.shift()) {
      await respond(next, 0);
      for (const id of await queuedNow()) {
        const sent = await proceedAt({ id, fence: 0 }, upstream);
        if (sent.was?.startsWith('sent')) there.push(sent);
      }
      counts.push(there.length);
    }
    return counts;
  }
  const fill = async () => {
    const there = [];
    for (let n = 0; n < BEFORE; n++) there.push(await arriveAt({ slots: BEFORE }));
    for (let n = 0; n < WAITING; n++) await arriveAt({ slots: BEFORE });
    return there;
  };

  it('are so many once the requests of more have ended, though none of them is ever free, and serve all', async () => {
    const there = await fill();
    const late = await arriveAt({ slots: AFTER });

    const counts = await runOut(there, { slots: AFTER });

    expect(late.was).to.equal('waiting');
    expect(counts.slice(0, 3)).to.deep.equal([5, 4, 3]);
    expect(Math.max(...counts.slice(2)), 'at once').to.equal(AFTER);
    expect(counts, 'ended').to.have.length(BEFORE + WAITING + 1);
  });

  it('are used by what was handed one too many before it knew', async () => {
    const there = await fill();
    await respond(there.shift() ?? { id: '', fence: 0 }, 0);
    const [handed] = await queuedNow();
    await arriveAt({ slots: AFTER });

    expect(await proceedAt({ id: handed ?? '', fence: 0 }, { slots: AFTER }))
      .to.have.property('was')
      .that.matches(/^sent/);
  });

  it('are not more by what a look-up proved while there were more', async () => {
    const there = await fill();
    await intentDb.query(`insert into upstream_proofs (upstream, answered_at, proven) values ('miner:x', now(), $1)`, [
      BEFORE,
    ]);
    await arriveAt({ slots: AFTER });

    const counts = await runOut(there.reverse(), { slots: AFTER });

    expect(Math.max(...counts.slice(2)), 'at once').to.equal(AFTER);
  });

  it('are as many as before once there are more again', async () => {
    const there = await fill();
    await arriveAt({ slots: AFTER });
    for (const one of there.splice(AFTER)) await respond(one, 0);
    await arriveAt({ slots: BEFORE });

    const counts = await runOut(there, { slots: BEFORE });

    expect(Math.max(...counts), 'at once').to.equal(BEFORE);
    expect(counts, 'ended').to.have.length(AFTER + WAITING + 2);
  });

  it('are kept for exits as soon as they end, if more are', async () => {
    const there = await fill();
    await arriveAt({ slots: BEFORE, forExits: 4 });

    const counts = await runOut(there, { slots: BEFORE, forExits: 4 });

    expect(Math.max(...counts.slice(5)), 'entries at once').to.equal(2);
  });

  it('are not waited for where a process that knows more of them takes one: that one waits for the line then', async () => {
    const there = [];
    for (let n = 0; n < BEFORE; n++) there.push(await arriveAt({ slots: BEFORE }));
    await respond(there[0] ?? { id: '', fence: 0 }, 0); // the first has the last slot
    const one = await claimed();
    const [earlier, later] = [await intentDb.session(), await intentDb.session()];
    await earlier.query('begin');
    expect(await begin(one.id, one.fence, { slots: BEFORE, session: earlier })).to.equal('sent');

    const arriving = arriveAt({ slots: AFTER, session: later });
    const was = await Promise.race([
      arriving.then((late) => late.was),
      until('it waits', async () => (await intentDb.query(LOCKED)).length > 0),
    ]);
    await earlier.query('commit');
    await arriving;

    expect(was).to.equal('waiting');
  });
});
