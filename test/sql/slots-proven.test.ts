import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('what a look-up proves of an upstream', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );
  const { arrive, arriveAt, proceedAt, age, doubt, prove, respond, queuedNow, claimed } = slotsOf(() => intentDb);
  const proven = () => intentDb.query<{ proven: number }>('select proven from upstream_proofs');
  const setHeld = (id: string, seconds: number) =>
    intentDb.query('update upstream_slots set held_until = now() + make_interval(secs => $2) where intent_id = $1', [
      id,
      seconds,
    ]);
  /** It responded so many seconds ago, in words that prove nothing. */
  const leaveOpen = ({ id, fence }: Pick<Row, 'id' | 'fence'>, agoS: number) =>
    intentDb.query('select mark_in_doubt($1, $2, 10, null, false, true, $3)', [id, fence, agoS]);
  const UPSTREAM = { slots: 3 };

  it('counts no request that was at another upstream', async () => {
    const one = await arriveAt(UPSTREAM);
    await doubt(one);
    const { id, fence } = await claimed();
    await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:y', 3, 30)`, [id, fence]);
    await age({ id, fence });
    await respond({ id, fence }, 0);
    for (let n = 0; n < 3; n++) await arriveAt(UPSTREAM);

    await prove(one);

    expect(await proven()).to.deep.equal([{ proven: 1 }]);
  });

  it('counts a request whose response came after it, also one that left the effect open; not one whose response came before', async () => {
    const [one, open, before] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    for (let n = 0; n < 3; n++) await arriveAt(UPSTREAM);
    await doubt(one);
    for (const there of [open, before]) await age(there);
    await leaveOpen(open, 0);
    await leaveOpen(before, 5);

    await prove(one);

    expect(await proven()).to.deep.equal([{ proven: 2 }]);
  });

  it('still counts such a request once its records have ended it', async () => {
    const [one, open] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    for (let n = 0; n < 3; n++) await arriveAt(UPSTREAM);
    await doubt(one);
    await age(open);
    await leaveOpen(open, 0);
    await intentDb.settle(open.id, open.fence);

    await prove(one);

    expect(await proven()).to.deep.equal([{ proven: 2 }]);
  });

  it('counts no request that was sent after it and has ended', async () => {
    const [one, since] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    await doubt(one);
    await respond(since, 0);
    for (let n = 0; n < 3; n++) await arriveAt(UPSTREAM);

    await prove(one);

    expect(await proven()).to.deep.equal([{ proven: 1 }]);
  });

  it('counts no request whose hold is over, neither as there nor as what takes a slot', async () => {
    const [one, hung] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    const [running, waiting] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    await doubt(one);
    for (const there of [hung, running]) await age(there);
    await setHeld(hung.id, -1);

    await prove(one);

    expect(await proven()).to.deep.equal([{ proven: 2 }]);
    expect(await queuedNow()).to.deep.equal([waiting.id]);
  });

  it('stays while requests have lent their slots, and no longer', async () => {
    const [one, running, ending] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    const [first, second] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    await doubt(one);
    for (const there of [running, ending]) await age(there);
    await prove(one);
    await proceedAt(first, UPSTREAM);
    expect([await proven(), await queuedNow()]).to.deep.equal([[{ proven: 3 }], []]);

    await intentDb.query('update intents set sending_at = now() where id = any ($1)', [[running.id, ending.id]]);
    await prove(one);
    expect(await proven(), 'while it has lent its slot').to.deep.equal([{ proven: 3 }]);
    await setHeld(one.id, -1);
    await doubt(running);
    await prove(running);

    expect(await proven(), 'afterwards').to.deep.equal([{ proven: 1 }]);
    expect(second.was).to.equal('waiting');
  });

  it('is taken back by a response before the newest look-up, in whatever order the look-ups are recorded', async () => {
    const [one, other, running] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    const waiting = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    for (const doubtful of [one, other]) await doubt(doubtful);
    await age(running);
    await prove(one, 10);
    await prove(other, 5);
    expect(await proven()).to.deep.equal([{ proven: 2 }]);

    await respond(running, 2);

    expect(await proven()).to.deep.equal([{ proven: 1 }]);
    expect(waiting.map(({ was }) => was)).to.deep.equal(['waiting', 'waiting']);
  });

  it('is taken back once for a request that was counted as there and never left, or may stay', async () => {
    const [one, unsent, doubtful] = [await arriveAt(UPSTREAM), await arriveAt(UPSTREAM), await arriveAt(UPSTREAM)];
    for (let n = 0; n < 3; n++) await arriveAt(UPSTREAM);
    await doubt(one);
    for (const there of [unsent, doubtful]) await age(there);
    await prove(one);
    expect(await proven()).to.deep.equal([{ proven: 3 }]);

    await intentDb.retry(unsent.id, unsent.fence);
    expect(await proven()).to.deep.equal([{ proven: 2 }]);
    for (const _ of ['first', 'again']) await intentDb.markInDoubt(doubtful.id, doubtful.fence);

    expect(await proven()).to.deep.equal([{ proven: 1 }]);
  });

  it('is nothing of a request that was sent again since: its times are those of another request', async () => {
    const [one, other] = await arrive(2);
    const again = (await intentDb.claim(one?.id ?? '')) as Row;
    await doubt(again);
    await intentDb.query(`select send_again($1, $2, '{}')`, [again.id, again.fence]);
    const sent = await proceedAt(again, { slots: 2 });
    const [waiting] = await arrive(1);

    await prove(again);

    expect([other?.was, sent.was, waiting?.was]).to.deep.equal(['sent', 'sent', 'waiting']);
    expect(await proven()).to.deep.equal([]);
  });

  it('knows no response to a request that was sent again and ended by records', async () => {
    const one = await claimed();
    await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:x', 3, 30)`, [one.id, one.fence]);
    await leaveOpen(one, 0);
    await intentDb.query('update intents set sender_lost = true where id = $1', [one.id]);
    await intentDb.query(`select send_again($1, $2, '{}')`, [one.id, one.fence]);
    const sent = await proceedAt(one, UPSTREAM);

    await intentDb.settle(sent.id, sent.fence);

    const { responded_at } = (await intentDb.row(one.id)) as Row & { responded_at: unknown };
    expect([sent.was, responded_at]).to.deep.equal(['sent', null]);
  });

  it('gives a slot for as long as any other is held', async () => {
    const [one, , waiting] = await arrive(3);
    await doubt(one ?? expect.fail());
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);

    await prove(one ?? expect.fail());

    const [handed] = await intentDb.query<{ s: number }>(
      'select extract(epoch from held_until - now())::float8 as s from upstream_slots where intent_id = $1',
      [waiting?.id],
    );
    expect(handed?.s).to.be.within(25, 30);
  });
});

describe('the slots of an upstream, some kept for exits,', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arriveAt, queuedNow } = slotsOf(() => intentDb);
  const arrive = (isExit: boolean, forExits = 1) => arriveAt({ slots: 3, forExits, isExit });

  for (const isUsed of [false, true])
    it(`are taken by exits beginning with those that entries may take: the last stays for the next exit${isUsed ? ', also where all were free' : ''}`, async () => {
      if (isUsed) {
        const { id, fence } = await arrive(false);
        await intentDb.settle(id, fence);
      }

      const arrived = [await arrive(true), await arrive(false), await arrive(false), await arrive(true)];

      expect(arrived.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'waiting', 'sent']);
    });

  it('are as many for exits as was set last', async () => {
    for (let n = 0; n < 4; n++) await arrive(false, 0);
    await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second'`);

    const arrived = [await arrive(false), await arrive(false), await arrive(true)];

    expect(arrived.map(({ was }) => was)).to.deep.equal(['sent', 'waiting', 'sent']);
  });

  it('go to exits first; to an entry that has waited for more than 2 s, if exits use all that are used', async () => {
    const sent = [await arrive(true), await arrive(true), await arrive(true)];
    const [entry, later, exit] = [await arrive(false), await arrive(false), await arrive(true)];
    const end = async (n: number) => {
      const { id, fence } = sent[n] ?? expect.fail();
      await intentDb.settle(id, fence);
      return queuedNow();
    };
    expect(await end(0), 'at first').to.deep.equal([exit.id]);

    const next = await arrive(true);
    await intentDb.query('update intents set is_exit = true where id = any ($1)', [sent.map(({ id }) => id)]);
    await intentDb.query(`update intents set created_at = now() - interval '3 seconds' where id = any ($1)`, [
      [entry.id, later.id],
    ]);

    expect(await end(1), 'after 3 s').to.have.members([exit.id, entry.id]);
    expect(await end(2), 'beside an entry').to.have.members([exit.id, entry.id, next.id]);
  });

  for (const isExit of [false, true])
    it(`go to the ${isExit ? 'exit' : 'entry'} that waits, not to one that comes when a hold is over`, async () => {
      const sent = [await arrive(isExit), await arrive(isExit), await arrive(isExit)];
      const waiting = isExit ? await arrive(true) : sent[2];
      await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second' where intent_id = $1`, [
        sent[0]?.id,
      ]);

      const late = await arrive(isExit);

      expect([waiting?.was, late.was]).to.deep.equal(['waiting', 'waiting']);
      expect(await queuedNow()).to.deep.equal([waiting?.id]);
    });
});
