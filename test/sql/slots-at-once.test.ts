import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('the slots of an upstream that several take at once', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { begin, claimed, queuedNow } = slotsOf(() => intentDb);

  it('are handed on by one that is executed twice at once and took one too many', async () => {
    const [earlier, twice] = [await claimed(), await claimed()];
    await begin(earlier.id, earlier.fence, { slots: 3 });
    await intentDb.settle(earlier.id, earlier.fence);
    const [one, other] = [await intentDb.session(), await intentDb.session()];
    await one.query('begin');
    expect(await begin(twice.id, twice.fence, { slots: 3, session: one })).to.equal('sent');
    const again = begin(twice.id, twice.fence, { slots: 3, session: other });
    const isBlocked = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%begin_sending_within%'`;
    while ((await intentDb.query(isBlocked)).length === 0);
    const [last, waiting] = [await claimed(), await claimed()];
    expect(await begin(last.id, last.fence, { slots: 3 })).to.equal('sent');
    expect(await begin(waiting.id, waiting.fence, { slots: 3 })).to.equal('waiting');

    await one.query('commit');

    expect(await again).to.equal('lost');
    expect(await queuedNow()).to.include(waiting.id);
  });

  it('are never more, and none stays free while an intent waits, whoever comes and goes at once', async () => {
    const hands = await Promise.all(Array.from({ length: 6 }, () => intentDb.session()));
    const all: Row[] = [];
    while (all.length < 40) all.push(await claimed());
    const ended = new Set<string>();

    const work = async (session: DbSession, share: Row[]) => {
      for (const { id, fence } of share)
        if ((await begin(id, fence, { session, slots: 3 })) === 'sent') await end(session, id, fence);
    };
    const end = async (session: DbSession, id: string, fence: number) => {
      const [row] = await session.query<{ count: number }>(
        `select count(*)::integer as count from intents where sending_at is not null and settled_at is null`,
      );
      expect(row?.count).to.be.within(1, 3);
      await session.settle(id, fence);
      ended.add(id);
    };
    await Promise.all(
      hands.map((session, n) =>
        work(
          session,
          all.filter((_, at) => at % hands.length === n),
        ),
      ),
    );
    for (let due = await queuedNow(); due.length > 0; due = await queuedNow()) {
      await Promise.all(
        due.map(async (id, n) => {
          const session = hands[n % hands.length] as DbSession;
          await session.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [id]);
          const held = (await session.claim(id)) as Row;
          if ((await begin(id, held.fence, { session, slots: 3 })) === 'sent') await end(session, id, held.fence);
        }),
      );
    }

    expect(ended.size).to.equal(all.length);
  });
});
