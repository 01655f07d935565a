import { expect } from 'chai';
import { type Item, item, openSpine, type Spine } from '../support/spine.ts';

const LANE = 'netvenue:e_1:BTCUSDC';

describe('an intent whose worker ended while it was sending, and whose request never arrived', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());
  beforeEach(() => spine.query('truncate intents, lanes, recoveries, upstream_slots cascade; delete from queue_jobs'));

  /** Marked as sending by a worker that ended; another one claimed it and put it in doubt. */
  const abandoned = async (more: Partial<Item> = {}) => {
    const one = item({ lane: LANE, ...more });
    await spine.accept(one);
    const first = await spine.claim(one.id);
    await spine.beginSending(one.id, first?.fence ?? 0);
    const second = await spine.claim(one.id);
    await spine.markInDoubt(one.id, second?.fence ?? 0);
    await spine.finishJobs(one.id);
    return { id: one.id, fence: second?.fence ?? 0 };
  };
  const sendAgain = async ({ id, fence }: { id: string; fence: number }) => {
    const [row] = await spine.query<{ ok: boolean }>('select send_again($1, $2, $3) ok', [
      id,
      fence,
      '{"problem":{"code":"NOT_CARRIED_OUT"}}',
    ]);
    return row?.ok;
  };
  const stays = async (lost: { id: string; fence: number }) => {
    expect(await sendAgain(lost)).to.equal(false);
    expect(await spine.row(lost.id)).to.deep.include({ state: 'in_doubt' });
    expect(await spine.jobs()).to.deep.equal([]);
  };

  it('is queued at the head of its lane with one job, and can be sent once more', async () => {
    const lost = await abandoned();

    expect(await sendAgain(lost)).to.equal(true);

    expect(await spine.row(lost.id)).to.deep.include({ state: 'queued', sending_at: null });
    expect(await spine.headOf(LANE)).to.equal(lost.id);
    expect((await spine.jobs()).map(({ intent_id }) => intent_id)).to.deep.equal([lost.id]);
    const third = await spine.claim(lost.id);
    expect(await spine.beginSending(lost.id, third?.fence ?? 0)).to.equal(true);
    expect(await spine.beginSending(lost.id, lost.fence)).to.equal(false);
  });

  it('gives its slot to the next that waits for one', async () => {
    const lost = await abandoned();
    const waiting = await abandoned({ lane: 'netvenue:e_2:BTCUSDC' });
    await spine.query(`update intents set state = 'queued', sending_at = null, upstream = 'miner:x' where id = $1`, [
      waiting.id,
    ]);
    await spine.query(
      `insert into upstream_slots (upstream, slot, intent_id, hold_s, held_until) values ('miner:x', 1, $1, 30, now() + interval '30 s')`,
      [lost.id],
    );

    await sendAgain(lost);

    expect(await spine.query('select intent_id from upstream_slots')).to.deep.equal([{ intent_id: waiting.id }]);
  });

  it('ends with what was proven if its deadline passes before it is sent', async () => {
    const lost = await abandoned();
    await sendAgain(lost);
    await spine.query(`update intents set deadline_at = now() where id = $1`, [lost.id]);

    expect(await spine.claim(lost.id)).to.equal(null);

    const { state, outcome } = await spine.row(lost.id);
    expect({ state, code: outcome?.problem?.code }).to.deep.equal({ state: 'expired', code: 'NOT_CARRIED_OUT' });
  });

  it('stays after its deadline', async () => {
    const lost = await abandoned();
    await spine.query('update intents set deadline_at = now()');
    await stays(lost);
  });

  it('stays if the claim is lost', async () => {
    const lost = await abandoned();
    await stays({ ...lost, fence: lost.fence - 1 });
  });

  it('stays if its own worker put it in doubt: the request may have left', async () => {
    const one = item({ lane: LANE });
    await spine.accept(one);
    const { fence = 0 } = (await spine.claim(one.id)) ?? {};
    await spine.beginSending(one.id, fence);
    await spine.markInDoubt(one.id, fence);
    await spine.finishJobs(one.id);
    await stays({ id: one.id, fence });
  });

  it('stays if the database was restored since it was accepted', async () => {
    const lost = await abandoned();
    await spine.query('insert into recoveries (since) values (now())');
    await stays(lost);
  });

  describe('stays if a later intent of its lane', () => {
    const later = async () => {
      const lost = await abandoned();
      const next = item({ lane: LANE, kind: 'network/close' });
      await spine.accept(next);
      const claim = await spine.claim(next.id);
      return { lost, next: { id: next.id, fence: claim?.fence ?? 0 } };
    };
    const staysBehind = async (lost: { id: string; fence: number }, next: { id: string }) => {
      await spine.finishJobs(next.id);
      await stays(lost);
    };

    it('is open', async () => {
      const { lost, next } = await later();
      await staysBehind(lost, next);
    });

    it('is in doubt', async () => {
      const { lost, next } = await later();
      await spine.beginSending(next.id, next.fence);
      await spine.markInDoubt(next.id, next.fence);
      await staysBehind(lost, next);
    });

    it('has ended', async () => {
      const { lost, next } = await later();
      await spine.settle(next.id, next.fence);
      await staysBehind(lost, next);
    });
  });

  it('is queued although intents of other lanes follow', async () => {
    const lost = await abandoned();
    const other = item({ lane: 'netvenue:e_2:BTCUSDC' });
    await spine.accept(other);
    const claim = await spine.claim(other.id);
    await spine.settle(other.id, claim?.fence ?? 0);

    expect(await sendAgain(lost)).to.equal(true);
  });
});
