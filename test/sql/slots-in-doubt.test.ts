import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('the slots of intents in doubt', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arrive, queuedNow } = slotsOf(() => intentDb);

  /** Two in doubt, sent 10 s ago, that hold both slots, and one that waits. */
  const doubts = async () => {
    const [first, second, waiting] = await arrive(3);
    for (const one of [first, second]) await intentDb.markInDoubt(one?.id ?? '', one?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where state = 'in_doubt'`);
    await intentDb.query('delete from queue_jobs where payload ->> $$intent_id$$ <> $1', [waiting?.id]);
    return { first: first?.id ?? '', second: second?.id ?? '', waiting: waiting?.id ?? '' };
  };
  const reached = (id: string, askedS: number | null) =>
    intentDb.query('select note_reached($1, 30, $2)', [id, askedS]);

  it('are freed one by one, each by a look-up that was responded to at once after the last request had arrived', async () => {
    const { first, second, waiting } = await doubts();

    await reached(first, 9);
    expect(await queuedNow()).to.deep.equal([waiting]);
    expect((await intentDb.row(first)).state).to.equal('in_doubt');
    await reached(second, 9); // the same thread: what it freed is not sent yet
    expect((await arrive(1))[0]?.was).to.equal('waiting');
  });

  it('stay taken when the response was slow, or another request was sent since the look-up', async () => {
    const { first, second, waiting } = await doubts();

    await reached(first, null);
    await intentDb.query(`update intents set sending_at = now() where id = $1`, [second]);
    await reached(first, 9);

    expect(await queuedNow()).to.not.include(waiting);
  });

  it('never let more be sent than there were proofs, however many arrive at once', async () => {
    const { first, second } = await doubts();
    const more = await arrive(4);
    const sessions = await Promise.all([intentDb.session(), intentDb.session()]);

    await Promise.all(
      sessions.map((session, n) => session.query('select note_reached($1, 30, 9)', [n === 0 ? first : second])),
    );

    expect(await queuedNow()).to.have.length(1);
    expect(more.every(({ was }) => was === 'waiting')).to.equal(true);
  });

  it('are looked up soon once the upstream responds again, if somebody waits for them', async () => {
    const [first, second] = await arrive(2);
    for (const one of [first, second]) await intentDb.markInDoubt(one?.id ?? '', one?.fence ?? 0, 10);
    const hurry = async () =>
      (await intentDb.query<{ n: number }>('select hurry_doubts($1, 0.25) n', [first?.id]))[0]?.n;
    const dueIn = async () => (await intentDb.jobs()).find(({ intent_id }) => intent_id === second?.id)?.in_ms;

    const unwanted = [await hurry(), (await dueIn()) ?? 0];
    await arrive(1);
    const wanted = [await hurry(), (await dueIn()) ?? 0];

    expect(unwanted[0]).to.equal(0);
    expect(unwanted[1]).to.be.above(8_000);
    expect(wanted[0]).to.equal(2);
    expect(wanted[1]).to.be.below(501);
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
