import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('the slots of an upstream', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));

  const { begin, claimed, arrive, queuedNow } = slotsOf(() => intentDb);

  it('are taken by as many as there are; others wait unsent, with a job at their deadline', async () => {
    const all = await arrive(4);

    expect(all.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'waiting', 'waiting']);
    const waiting = await intentDb.row(all[2]?.id ?? '');
    expect(waiting).to.deep.include({ state: 'queued', sending_at: null });
    const jobs = await intentDb.jobs();
    expect(jobs.map(({ intent_id }) => intent_id)).to.deep.equal(all.slice(2).map(({ id }) => id));
    for (const { in_ms } of jobs) expect(in_ms).to.be.within(50_000, 60_000);
  });

  it('are handed over in order of acceptance, before any newcomer', async () => {
    const [first, second, third, fourth] = await arrive(4);
    await intentDb.settle(second?.id ?? '', second?.fence ?? 0);
    const newcomer = await claimed();

    const was = await begin(newcomer.id, newcomer.fence);

    expect(was).to.equal('waiting');
    expect(await queuedNow()).to.deep.equal([third?.id]);
    const again = (await intentDb.claim(third?.id ?? '')) as Row;
    expect(await begin(again.id, again.fence)).to.equal('sent');
    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);
    expect((await queuedNow()).includes(fourth?.id ?? '')).to.equal(true);
  });

  it('are one for each intent: one that was handed a slot takes no other that is free by then', async () => {
    const [first, second, third] = await arrive(3);
    for (const each of [first, second]) await intentDb.settle(each?.id ?? '', each?.fence ?? 0);
    const again = (await intentDb.claim(third?.id ?? '')) as Row;

    expect(await begin(again.id, again.fence)).to.equal('sent');

    expect(await intentDb.query('select intent_id from upstream_slots where intent_id is not null')).to.deep.equal([
      { intent_id: third?.id },
    ]);
  });

  it('are all free again when an intent that took two of them is settled', async () => {
    const [first, second, third, fourth] = await arrive(4);
    await intentDb.query(`update upstream_slots set intent_id = $1 where intent_id = $2`, [first?.id, second?.id]);

    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);

    expect((await intentDb.row(first?.id ?? ''))?.state).to.equal('succeeded');
    expect(await queuedNow()).to.include.members([third?.id, fourth?.id]);
  });

  it('stay taken when the effect is unknown, and are free once it is settled, retried or the hold is over', async () => {
    const [first, second, third] = await arrive(3);
    await intentDb.markInDoubt(first?.id ?? '', first?.fence ?? 0);
    expect(await queuedNow()).to.deep.equal([first?.id]);

    await intentDb.retry(second?.id ?? '', second?.fence ?? 0);
    expect(await queuedNow()).to.include(third?.id);
    await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second' where intent_id = $1`, [
      first?.id,
    ]);
    const late = await claimed();

    expect(await begin(late.id, late.fence)).to.equal('sent');
  });

  it('stay taken by what failed by records while in doubt, with a job at the end of the hold: its request may still run', async () => {
    const [first, , third] = await arrive(3);
    const { id = '', fence = 0 } = first ?? {};
    await intentDb.markInDoubt(id, fence);
    await intentDb.finishJobs(id);

    await intentDb.settle(id, fence, 'failed');

    expect(await queuedNow()).to.not.include(third?.id);
    expect((await arrive(1))[0]?.was).to.equal('waiting');
    const [job, ...more] = (await intentDb.jobs()).filter(({ intent_id }) => intent_id === id);
    expect(more).to.be.empty;
    expect(job?.in_ms).to.be.within(20_000, 30_000);
  });

  it('and their jobs go to exits first: theirs are taken before all others that are due', async () => {
    const [entry, exit] = [item(), item({ kind: 'network/close' })];
    await intentDb.accept(entry, exit);

    const taken = await intentDb.query<{ payload: { intent_id: string } }>(
      `select payload from queue_jobs where is_available order by priority, run_at, id`,
    );

    expect(taken.map(({ payload }) => payload.intent_id)).to.deep.equal([exit.id, entry.id]);
  });

  it('are given back by one that was handed a slot and has to wait for its pace meanwhile', async () => {
    const [first, , third] = await arrive(3);
    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);
    await intentDb.query(`select spend_pace('signals:x', 2)`);

    const [row] = await intentDb.query<{ begun: string }>(
      `select begin_sending_within($1, i.fence, '{}', 'miner:x', 2, 30, 0, false, 'signals:x', 2, 0, true) as begun
       from intents i where i.id = $1`,
      [third?.id],
    );

    expect(row?.begun).to.equal('waiting');
    expect(await intentDb.query('select from upstream_slots where intent_id = $1', [third?.id])).to.deep.equal([]);
    expect((await arrive(1))[0]?.was).to.equal('sent');
  });

  it('are given back by an intent whose deadline passed while it waited', async () => {
    const [first, , third] = await arrive(3);
    await intentDb.query(`update intents set deadline_at = now() - interval '1 second' where id = $1`, [third?.id]);
    await intentDb.settle(first?.id ?? '', first?.fence ?? 0);

    expect(await intentDb.claim(third?.id ?? '')).to.equal(null);

    expect((await intentDb.row(third?.id ?? '')).state).to.equal('expired');
    expect((await arrive(1))[0]?.was).to.equal('sent');
  });

  it('are no more than there are once they are fewer than before', async () => {
    const sent = [await claimed(), await claimed(), await claimed()];
    for (const { id, fence } of sent) expect(await begin(id, fence, { slots: 3 })).to.equal('sent');
    await intentDb.settle(sent[0]?.id ?? '', sent[0]?.fence ?? 0);
    const late = await claimed();

    expect(await begin(late.id, late.fence, { slots: 2 })).to.equal('waiting');
  });

  it('go by turns to the owners that wait, and to one alone when nobody else wants them', async () => {
    const of = (owner: string) => claimed({ owner });
    const arriveOf = async (owner: string) => {
      const { id, fence } = await of(owner);
      return { id, fence, owner, was: await begin(id, fence) };
    };
    const many = [];
    for (let n = 0; n < 6; n++) many.push(await arriveOf('ptn_many'));
    const few = [await arriveOf('ptn_few'), await arriveOf('ptn_few')];
    const ownerOf = new Map([...many, ...few].map(({ id, owner }) => [id, owner]));

    const order: (string | undefined)[] = [];
    for (let working = many.slice(0, 2).map(({ id, fence }) => ({ id, fence })); working.length > 0; ) {
      const { id, fence } = working.shift() as { id: string; fence: number };
      await intentDb.settle(id, fence);
      for (const next of await queuedNow()) {
        order.push(ownerOf.get(next));
        await intentDb.finishJobs(next);
        const again = (await intentDb.claim(next)) as Row;
        expect(await begin(next, again.fence)).to.equal('sent');
        working.push(again);
      }
    }

    expect(many.map(({ was }) => was)).to.deep.equal(['sent', 'sent', ...Array(4).fill('waiting')]);
    expect(order).to.deep.equal(['ptn_few', 'ptn_many', 'ptn_few', 'ptn_many', 'ptn_many', 'ptn_many']);
  });

  describe('of which some are kept for exits', () => {
    const beginAs = async (exits: boolean, { id, fence }: Row) => {
      const [row] = await intentDb.query<{ begun: string }>(
        `select begin_sending_within($1, $2, '{}', 'miner:x', 3, 30, 1, $3) as begun`,
        [id, fence, exits],
      );
      return row?.begun;
    };
    const arriveAs = async (exits: boolean) => {
      const row = await claimed();
      return { ...row, was: await beginAs(exits, row) };
    };

    it('leave one to exits, which take the others first', async () => {
      const entries = [await arriveAs(false), await arriveAs(false), await arriveAs(false)];
      const exits = [await arriveAs(true), await arriveAs(true)];

      expect(entries.map(({ was }) => was)).to.deep.equal(['sent', 'sent', 'waiting']);
      expect(exits.map(({ was }) => was)).to.deep.equal(['sent', 'waiting']);
    });

    it('are handed to a waiting exit before entries that came earlier', async () => {
      const sent = [await arriveAs(false), await arriveAs(false), await arriveAs(true)];
      const [entry, exit] = [await arriveAs(false), await arriveAs(true)];

      await intentDb.settle(sent[0]?.id ?? '', sent[0]?.fence ?? 0);
      expect(await queuedNow()).to.deep.equal([exit.id]);
      await intentDb.settle(sent[1]?.id ?? '', sent[1]?.fence ?? 0);
      expect(await queuedNow()).to.have.members([exit.id, entry.id]);
    });

    it('go to a waiting exit, not to an entry that comes when a hold is over', async () => {
      const sent = [await arriveAs(true), await arriveAs(true), await arriveAs(true)];
      const exit = await arriveAs(true);
      await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second' where intent_id = $1`, [
        sent[0]?.id,
      ]);

      const entry = await arriveAs(false);

      expect([exit.was, entry.was]).to.deep.equal(['waiting', 'waiting']);
      expect(await queuedNow()).to.deep.equal([exit.id]);
    });

    it('are lent by an exit in doubt to an exit, not to an entry that waits', async () => {
      const [, , doubtful] = [await arriveAs(false), await arriveAs(false), await arriveAs(true)];
      const entry = await arriveAs(false);
      await intentDb.markInDoubt(doubtful.id, doubtful.fence);
      await intentDb.finishJobs(doubtful.id);
      await intentDb.query(
        `update intents set sending_at = now() - interval '10 seconds' where sending_at is not null`,
      );
      const prove = () => intentDb.query('select release_by_proof($1, 9, 9, 10)::text', [doubtful.id]);

      await prove();
      expect([entry.was, await queuedNow()]).to.deep.equal(['waiting', []]);
      const exit = await arriveAs(true);
      await prove();

      expect(await queuedNow()).to.deep.equal([exit.id]);
    });

    it('do not keep a waiting entry from a slot that another transaction frees', async () => {
      const sent = [await arriveAs(false), await arriveAs(false), await arriveAs(true)];
      const waiting = await arriveAs(false);
      const slow = await intentDb.session();

      await slow.query('begin');
      await slow.settle(sent[2]?.id ?? '', sent[2]?.fence ?? 0);
      await intentDb.settle(sent[0]?.id ?? '', sent[0]?.fence ?? 0);
      await slow.query('commit');

      expect(await queuedNow()).to.deep.equal([waiting.id]);
    });
  });
});
