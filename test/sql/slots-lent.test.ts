import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('slots that requests in doubt have lent', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );
  const { arriveAt, claimed, proceedAt, age, doubt, prove, respond, queuedNow } = slotsOf(() => intentDb);
  let upstream = { slots: 4, forExits: 0 };
  const arrive = (isExit = false) => arriveAt({ ...upstream, isExit });
  const proceed = (one: { id: string; fence: number }) => proceedAt(one, upstream);
  const pass = (seconds: number) =>
    intentDb.query('update upstream_slots set held_until = held_until - make_interval(secs => $1)', [seconds]);

  for (const [oneS, otherS] of [
    [5, 30],
    [30, 5],
  ] as const)
    it(`are those that are over first (${oneS} s, ${otherS} s): then an exit has its own again, without a proof`, async () => {
      upstream = { slots: 3, forExits: 1 };
      const [one, other, waiting] = [await arrive(), await arrive(), await arrive()];
      await doubt(one, oneS);
      await doubt(other, otherS);
      await prove(one);
      expect((await proceed(waiting)).was).to.equal('sent_by_proof');

      await pass(6);
      const [exit, entry] = [await arrive(true), await arrive()];

      expect([exit.was, entry.was]).to.deep.equal(['sent', 'waiting']);
    });

  it('change nothing at another upstream', async () => {
    upstream = { slots: 2, forExits: 0 };
    const [held, other, line] = [await claimed(), await claimed(), await claimed()];
    for (const { id, fence } of [held, other, line])
      await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:y', 2, 20)`, [id, fence]);
    await intentDb.markInDoubt(held.id, held.fence, 60);
    const elsewhere = () =>
      intentDb.query(`
        select s.*, j.run_at from upstream_slots s
        left join queue_jobs j on j.key = 'doubt ' || s.intent_id
        where s.upstream = 'miner:y'
        order by s.slot`);
    const before = await elsewhere();

    const [first, second, third, fourth] = [await arrive(), await arrive(), await arrive(), await arrive()];
    await doubt(first);
    await respond(second, 0);
    await age(await proceed(third));
    await prove(first);
    const lent = await intentDb.query('select upstream, intent_id from upstream_slots where is_lent');
    const last = await proceed(fourth);
    await respond(last, 0);

    expect(lent).to.deep.equal([{ upstream: 'miner:x', intent_id: first.id }]);
    expect(last.was).to.match(/^sent/);
    expect(before).to.have.length(2);
    expect(await elsewhere()).to.deep.equal(before);
    expect(await queuedNow()).to.not.include(line.id);
  });

  it('no longer count once they are over: the next that ends gives all that wait what is free', async () => {
    upstream = { slots: 4, forExits: 0 };
    const [one, other, running, last] = [await arrive(), await arrive(), await arrive(), await arrive()];
    const [first, second, third, fourth] = [await arrive(), await arrive(), await arrive(), await arrive()];
    await doubt(one, 5);
    await doubt(other, 30);
    for (const there of [running, last]) await age(there);
    await prove(one);
    const sent = await proceed(first);
    await age(sent);
    await prove(other);
    await proceed(second);
    for (const there of [running, sent]) await respond(there, 5);
    expect(await queuedNow()).to.deep.equal([]);

    await pass(6);
    await intentDb.settle(last.id, last.fence);

    expect(await queuedNow()).to.deep.equal([third.id, fourth.id]);
    const taken = await intentDb.query('select from upstream_slots where intent_id = any ($1) and is_lent', [
      [third.id, fourth.id],
    ]);
    expect(taken).to.deep.equal([]);
  });

  it('leave room for another beside a request whose hold is over, though nobody has recorded its end', async () => {
    upstream = { slots: 3, forExits: 0 };
    const [one, hung, running, waiting] = [await arrive(), await arrive(), await arrive(), await arrive()];
    await doubt(one, 30);
    for (const there of [hung, running]) await age(there);
    await prove(one);
    expect((await proceed(waiting)).was).to.equal('sent_by_proof');
    await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second' where intent_id = $1`, [
      hung.id,
    ]);

    expect((await arrive()).was).to.equal('sent_by_proof');
  });

  it('are lent by each of two exits that end at once to another that waits, and neither end fails', async () => {
    upstream = { slots: 5, forExits: 2 };
    const doubts = [await arrive(), await arrive(), await arrive()];
    const [exit, another] = [await arrive(true), await arrive(true)];
    const [first, second, third] = [await arrive(), await arrive(), await arrive()];
    for (const [n, one] of doubts.entries()) await doubt(one, 10 + n);
    for (const there of [exit, another]) await age(there);
    await prove(doubts[0] ?? exit);
    await proceed(first);
    const [slow, other] = [await intentDb.session(), await intentDb.session()];

    await slow.query('begin');
    await slow.settle(exit.id, exit.fence);
    const hasEnded = await other.settle(another.id, another.fence); // it waits for no lock of the first one
    await slow.query('commit');

    expect(hasEnded).to.equal(true);
    expect(await queuedNow())
      .to.include(second.id)
      .and.not.include(third.id);
  });
});
