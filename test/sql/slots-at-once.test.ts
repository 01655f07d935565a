import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type DbSession,
  type IntentDatabase,
  openIntentDatabase,
  type Row,
  WAITING,
} from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

describe('the slots of an upstream that several take at once', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );
  const { arrive, begin, claimed, queuedNow } = slotsOf(() => intentDb);

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

  it('let an intent that was handed one be sent once, when two execute it at once', async () => {
    const [first, , handed] = await arrive(3);
    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);
    const { id, fence } = await intentDb.row(handed?.id ?? '');
    const [one, other] = [await intentDb.session(), await intentDb.session()];
    await one.query('begin');
    expect(await begin(id, fence, { claims: true, session: one })).to.equal('sent');

    const again = begin(id, fence, { claims: true, session: other });
    await until('the other one waits', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await one.query('commit');

    expect(await again).to.equal('lost');
  });

  for (const [claims, isFree] of [
    [true, true],
    [false, true],
    [true, false],
  ] as const)
    it(`are ${isFree ? 'given back' : 'not waited for'} by one that another worker claims while it ${claims ? 'is claimed to be sent' : 'begins to be sent'}`, async () => {
      const earlier = await arrive(2);
      if (isFree) for (const { id, fence } of earlier) await intentDb.settle(id, fence);
      const { id, fence } = await claimed();
      const [rival, slow] = [await intentDb.session(), await intentDb.session()];
      await rival.query('begin');
      await rival.claim(id);

      const begun = begin(id, fence, { claims, session: slow });
      await until('it waits for the claim', async () => (await intentDb.query(WAITING)).length > 0 || null);
      await rival.query('commit');

      expect(await begun).to.equal('lost');
      expect(await intentDb.row(id)).to.include({ fence: fence + 1, sending_at: null });
      expect(await intentDb.query('select from upstream_slots where intent_id = $1', [id])).to.deep.equal([]);
      expect((await intentDb.jobs()).filter(({ intent_id }) => intent_id === id)).to.deep.equal([]);
    });

  it('are given back by one that is put back while the commit that takes its slot is under way', async () => {
    const earlier = await claimed();
    await begin(earlier.id, earlier.fence);
    await intentDb.settle(earlier.id, earlier.fence);
    const { id, fence } = await claimed();
    const [lost, fresh] = [await intentDb.session(), await intentDb.session()];
    await lost.query('begin');
    expect(await begin(id, fence, { session: lost })).to.equal('sent');

    const putBack = fresh.retry(id, fence);
    await until('it waits for the commit', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await lost.query('commit');

    expect(await putBack).to.equal(true);
    expect(await intentDb.row(id)).to.include({ state: 'queued', sending_at: null });
    expect(await intentDb.query('select from upstream_slots where intent_id is not null')).to.deep.equal([]);
  });

  it('are lent although the only one beside those in doubt is always busy: what has left in it is noted, and counts as there', async () => {
    const [doubtful, earlier, handed] = await arrive(3);
    await intentDb.markInDoubt(doubtful?.id ?? '', doubtful?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where id = $1`, [doubtful?.id]);
    await intentDb.settle(earlier?.id ?? '', earlier?.fence ?? 0);
    const { id, fence } = (await intentDb.claim(handed?.id ?? '')) as Row;
    expect(await begin(id, fence)).to.equal('sent_by_proof');
    await intentDb.query('select note_left($1, $2)', [id, fence]);
    const [waiting] = await arrive(1);

    await intentDb.query('select release_by_proof($1, 9, 60, 61)::text', [doubtful?.id]);

    expect(waiting?.was).to.equal('waiting');
    expect(await queuedNow()).to.include(waiting?.id);
  });

  it('are not proven free by a request that counts as there while it becomes doubtful', async () => {
    const sent = [];
    for (let n = 0; n < 5; n++) {
      const one = await claimed();
      sent.push({ ...one, was: await begin(one.id, one.fence, { slots: 3 }) });
    }
    const [doubtful, running] = sent;
    const proofBy = (session: DbSession) =>
      session.query('select note_reached($1, 30), release_by_proof($1, 9, 9, 10)::text', [doubtful?.id]);
    await intentDb.markInDoubt(doubtful?.id ?? '', doubtful?.fence ?? 0);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);
    await proofBy(intentDb);
    const proven = () => intentDb.query('select proven from upstream_proofs');
    expect([sent.map(({ was }) => was), await proven()]).to.deep.equal([
      ['sent', 'sent', 'sent', 'waiting', 'waiting'],
      [{ proven: 3 }],
    ]);
    const [one, other] = [await intentDb.session(), await intentDb.session()];

    await one.query('begin');
    await one.markInDoubt(running?.id ?? '', running?.fence ?? 0);
    const proof = proofBy(other);
    await until('the proof waits, or was left out', async () => {
      const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%release_by_proof%'`;
      return (await intentDb.query(waits)).length > 0 || Promise.race([proof.then(() => true), sleep(50, false)]);
    });
    await one.query('commit');
    await proof;

    expect(await proven()).to.deep.equal([{ proven: 2 }]);
  });

  it('are not lent by a look-up beside a free one that an exit takes at this moment', async () => {
    const beginAs = async (exits: boolean, session: DbSession = intentDb) => {
      const { id, fence } = await claimed();
      const [row] = await session.query<{ begun: string }>(
        `select begin_sending_within($1, $2, '{}', 'miner:x', 3, 30, 1, $3) as begun`,
        [id, fence, exits],
      );
      return { id, fence, was: row?.begun };
    };
    const [doubtful, , waiting] = [await beginAs(false), await beginAs(false), await beginAs(false)];
    await intentDb.markInDoubt(doubtful.id, doubtful.fence);
    await intentDb.query(`update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`);
    const other = await intentDb.session();
    await other.query('begin');
    const exit = await beginAs(true, other);

    await intentDb.query('select release_by_proof($1, 9, 9, 10)::text', [doubtful.id]);
    await other.query('commit');

    expect([waiting.was, exit.was]).to.deep.equal(['waiting', 'sent']);
    expect(await queuedNow()).to.not.include(waiting.id);
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
