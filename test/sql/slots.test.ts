import { expect } from 'chai';
import { type Hand, item, openSpine, type Row, type Spine } from '../support/spine.ts';

describe('the slots of an upstream', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());
  beforeEach(() => spine.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));

  const begin = async (
    id: string,
    fence: number,
    { slots = 2, hand = spine }: { slots?: number; hand?: Hand } = {},
  ) => {
    const [row] = await hand.query<{ begun: string }>(
      `select begin_sending_within($1, $2, '{}', 'miner:x', $3, 30) as begun`,
      [id, fence, slots],
    );
    return row?.begun;
  };
  const claimed = async (): Promise<Row> => {
    const one = item();
    await spine.accept(one);
    await spine.finishJobs(one.id);
    return (await spine.claim(one.id)) as Row;
  };
  /** Accepted one after the other, claimed, and about to be sent. */
  const arrive = async (count: number) => {
    const begun: { id: string; fence: number; was: string | undefined }[] = [];
    for (let n = 0; n < count; n++) {
      const { id, fence } = await claimed();
      begun.push({ id, fence, was: await begin(id, fence) });
    }
    return begun;
  };
  const queuedNow = async () =>
    (await spine.jobs()).filter(({ in_ms }) => in_ms <= 0).map(({ intent_id }) => intent_id);

  it('are taken by as many as there are; others wait unsent, with a job at their deadline', async () => {
    const all = await arrive(4);

    expect(all.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'waiting', 'waiting']);
    const waiting = await spine.row(all[2]?.id ?? '');
    expect(waiting).to.deep.include({ state: 'queued', sending_at: null });
    const jobs = await spine.jobs();
    expect(jobs.map(({ intent_id }) => intent_id)).to.deep.equal(all.slice(2).map(({ id }) => id));
    for (const { in_ms } of jobs) expect(in_ms).to.be.within(50_000, 60_000);
  });

  it('are handed over in order of acceptance, before any newcomer', async () => {
    const [first, second, third, fourth] = await arrive(4);
    await spine.settle(second?.id ?? '', second?.fence ?? 0);
    const newcomer = await claimed();

    const was = await begin(newcomer.id, newcomer.fence);

    expect(was).to.equal('waiting');
    expect(await queuedNow()).to.deep.equal([third?.id]);
    const again = (await spine.claim(third?.id ?? '')) as Row;
    expect(await begin(again.id, again.fence)).to.equal('sent');
    await spine.settle(first?.id ?? '', first?.fence ?? 0);
    expect((await queuedNow()).includes(fourth?.id ?? '')).to.equal(true);
  });

  it('are all free again when an intent that took two of them is settled', async () => {
    const [first, second, third, fourth] = await arrive(4);
    await spine.query(`update upstream_slots set intent_id = $1 where intent_id = $2`, [first?.id, second?.id]);

    await spine.settle(first?.id ?? '', first?.fence ?? 0);

    expect((await spine.row(first?.id ?? ''))?.state).to.equal('succeeded');
    expect(await queuedNow()).to.include.members([third?.id, fourth?.id]);
  });

  it('stay taken when the effect is unknown, and are free once it is settled, retried or the hold is over', async () => {
    const [first, second, third] = await arrive(3);
    await spine.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    expect(await queuedNow()).to.deep.equal([first?.id]);

    await spine.retry(second?.id ?? '', second?.fence ?? 0);
    expect(await queuedNow()).to.include(third?.id);
    await spine.query(`update upstream_slots set held_until = now() - interval '1 second' where intent_id = $1`, [
      first?.id,
    ]);
    const late = await claimed();

    expect(await begin(late.id, late.fence)).to.equal('sent');
  });

  it('stay taken by what failed by records while in doubt, with a job at the end of the hold: its request may still run', async () => {
    const [first, , third] = await arrive(3);
    const { id = '', fence = 0 } = first ?? {};
    await spine.markInDoubt(id, fence);
    await spine.finishJobs(id);

    await spine.settle(id, fence, 'failed');

    expect(await queuedNow()).to.not.include(third?.id);
    expect((await arrive(1))[0]?.was).to.equal('waiting');
    const [job, ...more] = (await spine.jobs()).filter(({ intent_id }) => intent_id === id);
    expect(more).to.be.empty;
    expect(job?.in_ms).to.be.within(20_000, 30_000);
  });

  it('are given back by an intent whose deadline passed while it waited', async () => {
    const [first, , third] = await arrive(3);
    await spine.query(`update intents set deadline_at = now() - interval '1 second' where id = $1`, [third?.id]);
    await spine.settle(first?.id ?? '', first?.fence ?? 0);

    expect(await spine.claim(third?.id ?? '')).to.equal(null);

    expect((await spine.row(third?.id ?? '')).state).to.equal('expired');
    expect((await arrive(1))[0]?.was).to.equal('sent');
  });

  it('are never more, and none stays free while an intent waits, whoever comes and goes at once', async () => {
    const hands = await Promise.all(Array.from({ length: 6 }, () => spine.hand()));
    const all: Row[] = [];
    while (all.length < 40) all.push(await claimed());
    const ended = new Set<string>();

    const work = async (hand: Hand, share: Row[]) => {
      for (const { id, fence } of share)
        if ((await begin(id, fence, { hand, slots: 3 })) === 'sent') await end(hand, id, fence);
    };
    const end = async (hand: Hand, id: string, fence: number) => {
      const [row] = await hand.query<{ count: number }>(
        `select count(*)::integer as count from intents where sending_at is not null and settled_at is null`,
      );
      expect(row?.count).to.be.within(1, 3);
      await hand.settle(id, fence);
      ended.add(id);
    };
    await Promise.all(
      hands.map((hand, n) =>
        work(
          hand,
          all.filter((_, at) => at % hands.length === n),
        ),
      ),
    );
    for (let due = await queuedNow(); due.length > 0; due = await queuedNow()) {
      await Promise.all(
        due.map(async (id, n) => {
          const hand = hands[n % hands.length] as Hand;
          await hand.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [id]);
          const held = (await hand.claim(id)) as Row;
          if ((await begin(id, held.fence, { hand, slots: 3 })) === 'sent') await end(hand, id, held.fence);
        }),
      );
    }

    expect(ended.size).to.equal(all.length);
  });
});
