import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, type Row, SETTLE } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

const PROOF = 'select note_reached($1, 30), release_by_proof($1, 9, 9, 10)::text';

describe('the slots of intents in doubt', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arrive, begin, claimed, queuedNow } = slotsOf(() => intentDb);

  /** Two in doubt, sent 10 s ago, that hold both slots, and one that waits. */
  const doubts = async () => {
    const [first, second, waiting] = await arrive(3);
    for (const one of [first, second]) await intentDb.markInDoubt(one?.id ?? '', one?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where state = 'in_doubt'`);
    await intentDb.query('delete from queue_jobs where payload ->> $$intent_id$$ <> $1', [waiting?.id]);
    return { first: first?.id ?? '', second: second?.id ?? '', waiting: waiting?.id ?? '' };
  };
  const reached = (id: string, askedS: number | null) =>
    intentDb.query(
      'select note_reached($1, 30), case when $2::float8 is not null then release_by_proof($1, $2, $2, $2 + 0.5)::text end',
      [id, askedS],
    );

  it('are freed one by one, each by a look-up that was responded to at once after the last request had arrived', async () => {
    const { first, second, waiting } = await doubts();

    await reached(first, 9);
    expect(await queuedNow()).to.deep.equal([waiting]);
    expect((await intentDb.row(first)).state).to.equal('in_doubt');
    await reached(second, 9); // the same thread: what it freed is not sent yet
    expect((await arrive(1))[0]?.was).to.equal('waiting');
  });

  it('are freed beside a request that was there before the look-up and still is, not by one that was sent since', async () => {
    const [first, second, third] = await arrive(3);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    const sent = (id: string | undefined) =>
      intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where id = $1`, [id]);
    await sent(first?.id);

    await reached(first?.id ?? '', 9);
    expect(await queuedNow()).to.not.include(third?.id);
    await sent(second?.id);
    await reached(first?.id ?? '', 9);

    expect(await queuedNow()).to.include(third?.id);
  });

  it('are freed beside a request that had left before the look-up, however shortly before that it was sent', async () => {
    const [first, second, third] = await arrive(3);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where id = $1`, [first?.id]);
    const proof = (leftS: number) =>
      intentDb.query('select note_reached($1, 30), release_by_proof($1, 9, $2, 10)::text', [first?.id, leftS]);
    await intentDb.query('select note_left($1, $2)::text', [second?.id, second?.fence]);

    await proof(9);
    expect(await queuedNow()).to.not.include(third?.id);
    await proof(60);

    expect(await queuedNow()).to.include(third?.id);
  });

  for (const { when, responded, proven } of [
    { when: 'after the look-up, and count it', responded: 0, proven: 2 },
    { when: 'before the look-up was over, and do not count it', responded: 0.7, proven: 1 },
  ])
    it(`are freed beside a request whose response came ${when}`, async () => {
      const [first, second] = await arrive(3);
      await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
      await intentDb.query(
        `update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`,
      );
      await intentDb.query(SETTLE, [second?.id, second?.fence, 'succeeded', '{"result":{}}', responded]);
      await arrive(1);

      await reached(first?.id ?? '', 9);

      expect(await intentDb.query('select proven from upstream_proofs')).to.deep.equal([{ proven }]);
    });

  it('do not take a proof back by a response that leaves the effect open', async () => {
    const [first, second] = await arrive(3);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);
    await reached(first?.id ?? '', 9);
    const proven = () => intentDb.query('select proven from upstream_proofs');

    await intentDb.query('select mark_in_doubt($1, $2, 30, null, false, true)', [second?.id, second?.fence]);
    expect(await proven()).to.deep.equal([{ proven: 2 }]);
    const [held] = await intentDb.query(`select from upstream_slots where intent_id = $1`, [second?.id]);
    expect(held).to.equal(undefined);
  });

  it('are handed on for as long as any other when the last request that has lent its own has a late response', async () => {
    const { first, second, waiting } = await doubts();
    await reached(first, 9);
    const lent = (await intentDb.claim(waiting)) as Row;
    expect(await begin(waiting, lent.fence)).to.equal('sent_by_proof');
    await intentDb.settle(waiting, lent.fence);
    const [running, next] = await arrive(2);
    expect([running?.was, next?.was]).to.deep.equal(['sent_by_proof', 'waiting']);

    for (const one of [first, second]) await intentDb.query(`select release_slot($1, 'miner:x')`, [one]);

    const [handed] = await intentDb.query<{ s: number }>(
      'select extract(epoch from held_until - now())::float8 as s from upstream_slots where intent_id = $1',
      [next?.id],
    );
    expect(handed?.s).to.be.within(25, 30);
  });

  it('stay taken when the response was slow, or another one in doubt was sent since the look-up', async () => {
    const { first, second, waiting } = await doubts();

    await reached(first, null);
    await intentDb.query(`update intents set sending_at = now() where id = $1`, [second]);
    await reached(first, 9);

    expect(await queuedNow()).to.not.include(waiting);
  });

  it('have exits wait for a proof too while lent ones may still be there, and then serve exits first', async () => {
    const beginAs = async (exits: boolean) => {
      const { id, fence } = await claimed();
      const [row] = await intentDb.query<{ begun: string }>(
        `select begin_sending_within($1, $2, '{}', 'miner:x', 3, 30, 1, $3) as begun`,
        [id, fence, exits],
      );
      return { id, fence, was: row?.begun };
    };
    const [first, second, entry] = [await beginAs(false), await beginAs(false), await beginAs(false)];
    for (const { id, fence } of [first, second]) await intentDb.markInDoubt(id, fence);
    const later = () =>
      intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);
    await later();
    await reached(first.id, 9);
    expect(await queuedNow()).to.include(entry.id);
    const again = (await intentDb.claim(entry.id)) as Row;
    await intentDb.query(`select begin_sending_within($1, $2, '{}', 'miner:x', 3, 30, 1, false)`, [
      entry.id,
      again.fence,
    ]);

    const [exit, another] = [await beginAs(true), await beginAs(false)];
    await later();
    await reached(first.id, 9);

    expect([exit.was, another.was]).to.deep.equal(['waiting', 'waiting']);
    expect(await queuedNow())
      .to.include(exit.id)
      .and.not.include(another.id);
  });

  it('stay taken by what was found done in the records while in doubt, until a response, or with a job at the end of the hold', async () => {
    const [first, , third] = await arrive(3);
    const { id = '', fence = 0 } = first ?? {};
    await intentDb.markInDoubt(id, fence);
    await intentDb.finishJobs(id);

    await intentDb.settle(id, fence, 'succeeded');
    expect(await queuedNow()).to.not.include(third?.id);
    const [job] = (await intentDb.jobs()).filter(({ intent_id }) => intent_id === id);
    expect(job?.in_ms).to.be.within(20_000, 30_000);
    await intentDb.query(`select release_slot($1, 'miner:x')`, [id]);
    expect(await queuedNow()).to.include(third?.id);
  });

  it('never let more be sent than there were proofs, however many arrive at once', async () => {
    const { first, second } = await doubts();
    const more = await arrive(4);
    const sessions = await Promise.all([intentDb.session(), intentDb.session()]);

    await Promise.all(sessions.map((session, n) => session.query(PROOF, [n === 0 ? first : second])));

    expect(await queuedNow()).to.have.length(1);
    expect(more.every(({ was }) => was === 'waiting')).to.equal(true);
  });

  it('are looked up soon once somebody waits for them', async () => {
    const [first, second] = await arrive(2);
    for (const one of [first, second]) await intentDb.markInDoubt(one?.id ?? '', one?.fence ?? 0, 10);
    const hurry = async () => (await intentDb.query<{ s: number | null }>(`select hurry_doubts('miner:x') s`))[0]?.s;
    const dueIn = async () => (await intentDb.jobs()).find(({ intent_id }) => intent_id === second?.id)?.in_ms;

    const unwanted = [await hurry(), (await dueIn()) ?? 0];
    await arrive(1);
    const wanted = [(await dueIn()) ?? 0, await hurry()];

    expect(unwanted[0]).to.equal(null);
    expect(unwanted[1]).to.be.above(8_000);
    expect(wanted[0]).to.be.below(501);
    expect(wanted[1]).to.equal(0.1);
  });

  it('do not keep what is settled meanwhile from giving its own slot back', async () => {
    const [first, second, , fourth] = await arrive(4);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);
    const [proof, settling] = [await intentDb.session(), await intentDb.session()];

    await proof.query('begin');
    await proof.query(PROOF, [first?.id]);
    const settled = settling.settle(second?.id ?? '', second?.fence ?? 0);
    await proof.query('commit');

    expect(await settled).to.equal(true);
    expect(await queuedNow()).to.include(fourth?.id);
    const held = await intentDb.query('select from upstream_slots where intent_id = $1', [second?.id]);
    expect(held).to.deep.equal([]);
  });

  it('wait for nobody: a settlement of one that has freed another slot can settle this one too', async () => {
    const { first, second } = await doubts();
    const [{ fence: firstFence }, { fence: secondFence }] = (await Promise.all([first, second].map(intentDb.row))) as [
      Row,
      Row,
    ];
    const batch = await intentDb.session();

    await batch.query('begin');
    await batch.settle(second, secondFence);
    await reached(first, 9);
    await batch.settle(first, firstFence);
    await batch.query('commit');

    expect((await intentDb.row(first)).state).to.equal('succeeded');
  });
});
