import { expect } from 'chai';
import { type IntentDatabase, type Item, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const LANE = 'netvenue:e_1:BTCUSDC';

describe('an intent whose worker ended while it was sending, and whose request never arrived', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, recoveries, upstream_slots cascade; delete from queue_jobs'),
  );

  /** Marked as sending by a worker that ended; another one claimed it and put it in doubt. */
  const abandoned = async (more: Partial<Item> = {}) => {
    const one = item({ lane: LANE, ...more });
    await intentDb.accept(one);
    const first = await intentDb.claim(one.id);
    await intentDb.beginSending(one.id, first?.fence ?? 0);
    const second = await intentDb.claim(one.id);
    await intentDb.markInDoubt(one.id, second?.fence ?? 0);
    await intentDb.finishJobs(one.id);
    return { id: one.id, fence: second?.fence ?? 0 };
  };
  type Lost = { id: string; fence: number; owed?: boolean };
  const sendAgain = async ({ id, fence, owed = false }: Lost) => {
    const [row] = await intentDb.query<{ ok: boolean }>('select send_again($1, $2, $3, $4) ok', [
      id,
      fence,
      '{"problem":{"code":"NOT_CARRIED_OUT"}}',
      owed,
    ]);
    return row?.ok;
  };
  const stays = async (lost: Lost) => {
    expect(await sendAgain(lost)).to.equal(false);
    expect(await intentDb.row(lost.id)).to.deep.include({ state: 'in_doubt' });
    expect(await intentDb.jobs()).to.deep.equal([]);
  };

  it('is queued at the head of its lane with one job, and can be sent once more', async () => {
    const lost = await abandoned();

    expect(await sendAgain(lost)).to.equal(true);

    expect(await intentDb.row(lost.id)).to.deep.include({ state: 'queued', sending_at: null, reconcile_attempts: 0 });
    expect(await intentDb.headOf(LANE)).to.equal(lost.id);
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.deep.equal([lost.id]);
    const third = await intentDb.claim(lost.id);
    expect(await intentDb.beginSending(lost.id, third?.fence ?? 0)).to.equal(true);
    expect(await intentDb.beginSending(lost.id, lost.fence)).to.equal(false);
  });

  it('has a job at once if it ran beside the head of its lane, and may do so again', async () => {
    await intentDb.accept(item({ lane: LANE, alongside: 'BTC long' }));
    const lost = await abandoned({ alongside: 'ETH long' });

    expect(await sendAgain({ ...lost, owed: true })).to.equal(true);

    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(lost.id);
  });

  it('counts its look-ups from zero: none of the first request proves that the second has arrived', async () => {
    const lost = await abandoned();
    await intentDb.query(
      `update intents set left_at = now() - interval '1 minute', reached_at = now() - interval '1 minute' where id = $1`,
      [lost.id],
    );

    await sendAgain(lost);

    const third = await intentDb.claim(lost.id);
    await intentDb.beginSending(lost.id, third?.fence ?? 0);
    const [row] = await intentDb.query<object>(
      'select i.left_at, note_reached(i.id, 30) as reached_ago_s from intents i where i.id = $1',
      [lost.id],
    );
    expect(row).to.deep.equal({ left_at: null, reached_ago_s: 0 });
  });

  it('gives its slot to the next that waits for one', async () => {
    const lost = await abandoned();
    const waiting = await abandoned({ lane: 'netvenue:e_2:BTCUSDC' });
    await intentDb.query(`update intents set state = 'queued', sending_at = null, upstream = 'miner:x' where id = $1`, [
      waiting.id,
    ]);
    await intentDb.query(
      `with at as (update intents set upstream = 'miner:x' where id = $1)
       insert into upstream_slots (upstream, slot, intent_id, hold_s, held_until) values ('miner:x', 1, $1, 30, now() + interval '30 s')`,
      [lost.id],
    );

    await sendAgain(lost);

    expect(await intentDb.query('select intent_id from upstream_slots')).to.deep.equal([{ intent_id: waiting.id }]);
  });

  it('ends with what was proven if its deadline passes before it is sent', async () => {
    const lost = await abandoned();
    await sendAgain(lost);
    await intentDb.query(`update intents set deadline_at = now() where id = $1`, [lost.id]);

    expect(await intentDb.claim(lost.id)).to.equal(null);

    const { state, outcome } = await intentDb.row(lost.id);
    expect({ state, code: outcome?.problem?.code }).to.deep.equal({ state: 'expired', code: 'NOT_CARRIED_OUT' });
  });

  for (const owed of [false, true])
    describe(`${owed ? 'owed' : 'of a caller'}, stays`, () => {
      it('after its deadline', async () => {
        const lost = await abandoned();
        await intentDb.query('update intents set deadline_at = now()');
        await stays({ ...lost, owed });
      });

      it('if the claim is lost', async () => {
        const lost = await abandoned();
        await stays({ ...lost, fence: lost.fence - 1, owed });
      });

      it('if the database was restored since it was accepted', async () => {
        const lost = await abandoned();
        await intentDb.query('insert into recoveries (since) values (now())');
        await stays({ ...lost, owed });
      });

      it('ended if a late response ends it, at this moment or before', async () => {
        const [lost, ending] = [await abandoned(), await intentDb.session()];
        await ending.query('begin');
        await ending.settle(lost.id, lost.fence);
        const again = sendAgain({ ...lost, owed });
        await until('it waits', async () => (await ending.query(WAITING)).length > 0 || null);
        await ending.query('commit');

        expect([await again, await sendAgain({ ...lost, owed })]).to.deep.equal([false, false]);
        expect(await intentDb.row(lost.id)).to.include({ state: 'succeeded' });
        expect(await intentDb.jobs()).to.deep.equal([]);
      });
    });

  /** In doubt by the worker that was sending it. */
  const unanswered = async () => {
    const one = item({ lane: LANE });
    await intentDb.accept(one);
    const { fence = 0 } = (await intentDb.claim(one.id)) ?? {};
    await intentDb.beginSending(one.id, fence);
    await intentDb.markInDoubt(one.id, fence);
    await intentDb.finishJobs(one.id);
    return { id: one.id, fence };
  };

  it('stays if its own worker put it in doubt: the request may have left', async () => {
    await stays(await unanswered());
  });

  it('is queued if it is owed, whoever put it in doubt, before a later intent of its lane', async () => {
    const lost = await unanswered();
    const later = item({ lane: LANE, kind: 'network/close' });
    await intentDb.accept(later);

    expect(await sendAgain({ ...lost, owed: true })).to.equal(true);

    expect(await intentDb.row(lost.id)).to.deep.include({ state: 'queued', sending_at: null });
    const claim = await intentDb.claim(later.id);
    await intentDb.settle(later.id, claim?.fence ?? 0);
    expect(await intentDb.headOf(LANE)).to.equal(lost.id);
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.include(lost.id);
  });

  describe('stays if a later intent of its lane', () => {
    const later = async () => {
      const lost = await abandoned();
      const next = item({ lane: LANE, kind: 'network/close' });
      await intentDb.accept(next);
      const claim = await intentDb.claim(next.id);
      return { lost, next: { id: next.id, fence: claim?.fence ?? 0 } };
    };
    const staysBehind = async (lost: { id: string; fence: number }, next: { id: string }) => {
      await intentDb.finishJobs(next.id);
      await stays(lost);
    };

    it('is open', async () => {
      const { lost, next } = await later();
      await staysBehind(lost, next);
    });

    it('is in doubt', async () => {
      const { lost, next } = await later();
      await intentDb.beginSending(next.id, next.fence);
      await intentDb.markInDoubt(next.id, next.fence);
      await staysBehind(lost, next);
    });

    it('has ended', async () => {
      const { lost, next } = await later();
      await intentDb.settle(next.id, next.fence);
      await staysBehind(lost, next);
    });
  });

  it('stays if a later intent of its lane is accepted at this moment', async () => {
    const lost = await abandoned();
    const accepting = await intentDb.session();
    await accepting.query('begin');
    await accepting.accept(item({ lane: LANE, kind: 'network/close' }));

    const again = sendAgain(lost);
    await until('it waits for the lane', async () => (await accepting.query(WAITING)).length > 0 || null);
    await accepting.query('commit');

    expect(await again).to.equal(false);
  });

  it('is queued although intents of other lanes follow', async () => {
    const lost = await abandoned();
    const other = item({ lane: 'netvenue:e_2:BTCUSDC' });
    await intentDb.accept(other);
    const claim = await intentDb.claim(other.id);
    await intentDb.settle(other.id, claim?.fence ?? 0);

    expect(await sendAgain(lost)).to.equal(true);
  });
});
