import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

describe('the life of an intent', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  const accepted = async (more = {}) => {
    const one = item(more);
    await intentDb.accept(one);
    return one.id;
  };
  const claimed = async (more = {}): Promise<Row> => {
    const id = await accepted(more);
    return (await intentDb.claim(id)) as Row;
  };
  const sent = async (more = {}): Promise<Row> => {
    const held = await claimed(more);
    await intentDb.beginSending(held.id, held.fence);
    return held;
  };
  const jobsOf = async (id: string) => (await intentDb.jobs()).filter(({ intent_id }) => intent_id === id);

  describe('claim_intent', () => {
    it('claims it and raises the fence, and again for the next claimer', async () => {
      const id = await accepted();

      const claims = [await intentDb.claim(id), await intentDb.claim(id)];

      expect(claims.map((row) => row?.fence)).to.deep.equal([1, 2]);
      expect(await intentDb.row(id)).to.include({ state: 'running', attempts: 2 });
    });

    it('expires it unsent past its deadline', async () => {
      const id = await accepted({ deadline_s: 0 });

      const held = await intentDb.claim(id);

      expect(held).to.equal(null);
      expect(await intentDb.row(id)).to.deep.include({ state: 'expired', sending_at: null });
      expect((await intentDb.row(id)).outcome).to.deep.equal({ problem: { code: 'DEADLINE_PASSED' } });
    });

    it('expires it with the reason of its last attempt', async () => {
      const { id, fence } = await claimed();
      await intentDb.retry(id, fence);
      await intentDb.query(`update intents set deadline_at = now() where id = $1`, [id]);

      await intentDb.claim(id);

      expect((await intentDb.row(id)).outcome).to.deep.equal({ problem: { code: 'VENUE_UNREACHABLE' } });
    });

    it('passes it to reconciliation past its deadline when it may have been sent', async () => {
      const { id } = await sent();
      await intentDb.query(`update intents set deadline_at = now() - interval '1 hour' where id = $1`, [id]);

      const held = await intentDb.claim(id);

      expect(held).to.include({ state: 'running' });
      expect(held?.sending_at).to.be.instanceOf(Date);
    });

    for (const ending of ['succeeded', 'failed', 'expired']) {
      it(`returns nothing for one that has ${ending}`, async () => {
        const { id, fence } = await claimed();
        await intentDb.settle(id, fence, ending);

        expect(await intentDb.claim(id)).to.equal(null);
        expect(await intentDb.row(id)).to.include({ state: ending, fence });
      });
    }

    it('returns nothing for one that is being reconciled', async () => {
      const { id, fence } = await sent();
      await intentDb.markInDoubt(id, fence);

      expect(await intentDb.claim(id)).to.equal(null);
    });
  });

  describe('begin_sending', () => {
    it('commits the sent payload once', async () => {
      const { id, fence } = await claimed();

      const responses = [await intentDb.beginSending(id, fence), await intentDb.beginSending(id, fence)];

      expect(responses).to.deep.equal([true, false]);
      expect(await intentDb.row(id)).to.deep.include({ sent_payload: { what: 1 } });
    });

    it('is rejected past the deadline', async () => {
      const { id, fence } = await claimed();
      await intentDb.query(`update intents set deadline_at = now() where id = $1`, [id]);

      expect(await intentDb.beginSending(id, fence)).to.equal(false);
      expect((await intentDb.row(id)).sending_at).to.equal(null);
    });
  });

  describe('a stale fence', () => {
    for (const write of ['beginSending', 'settle', 'retry', 'markInDoubt'] as const) {
      it(`writes nothing: ${write}`, async () => {
        const { id, fence } = write === 'beginSending' ? await claimed() : await sent();
        await intentDb.claim(id);
        const before = await intentDb.row(id);
        const jobs = await jobsOf(id);

        const wrote = await intentDb[write](id, fence);

        expect(wrote).to.equal(false);
        expect(await intentDb.row(id)).to.deep.equal(before);
        expect(await jobsOf(id)).to.have.length(jobs.length);
      });
    }
  });

  describe('one that has gone on under the same fence', () => {
    for (const [before, writes] of [
      ['settle', ['beginSending', 'retry', 'markInDoubt']],
      ['markInDoubt', ['beginSending', 'retry']],
      ['retry', ['beginSending', 'retry', 'markInDoubt']],
    ] as const)
      for (const write of writes)
        it(`stays as it is after ${before}: ${write}`, async () => {
          const { id, fence } = await sent();
          await intentDb[before](id, fence);
          const row = await intentDb.row(id);
          const jobs = await jobsOf(id);

          const wrote = await intentDb[write](id, fence);

          expect(wrote).to.equal(false);
          expect(await intentDb.row(id)).to.deep.equal(row);
          expect(await jobsOf(id)).to.have.length(jobs.length);
        });
  });

  it('is not sent once it has ended unsent', async () => {
    const { id, fence } = await claimed();
    await intentDb.settle(id, fence, 'failed');

    expect(await intentDb.beginSending(id, fence)).to.equal(false);
  });

  describe('settle_intent', () => {
    it('ends it once: the second ending changes nothing', async () => {
      const { id, fence } = await sent();

      const responses = [await intentDb.settle(id, fence), await intentDb.settle(id, fence, 'failed')];

      expect(responses).to.deep.equal([true, false]);
      expect(await intentDb.row(id)).to.include({ state: 'succeeded' });
    });

    it('ends one in doubt under the fence of its sender', async () => {
      const { id, fence } = await sent();
      await intentDb.markInDoubt(id, fence);

      expect(await intentDb.settle(id, fence)).to.equal(true);
    });
  });

  describe('retry_intent', () => {
    it('returns it to the queue unsent, with a job for later', async () => {
      const { id, fence } = await sent();
      await intentDb.finishJobs(id);

      await intentDb.retry(id, fence, 5);

      const [job] = await jobsOf(id);
      expect(await intentDb.row(id)).to.include({ state: 'queued', sending_at: null });
      expect(job).to.include({ task: 'network/place' });
      expect(job?.in_ms).to.be.within(4_000, 5_000);
    });
  });

  describe('retry_intent of one whose request had left', () => {
    it('forgets that: the next request is another one', async () => {
      const { id, fence } = await sent();
      await intentDb.query('select note_left($1, $2)', [id, fence]);

      await intentDb.retry(id, fence);

      expect(await intentDb.row(id)).to.include({ left_at: null, reached_at: null });
    });

    it('plans no attempt after the deadline', async () => {
      const { id, fence } = await sent({ deadline_s: 10 });
      await intentDb.finishJobs(id);

      await intentDb.retry(id, fence, 30);

      expect((await jobsOf(id))[0]?.in_ms).to.be.within(8_000, 10_000);
    });
  });

  describe('presume_sent', () => {
    for (const [kind, agoS] of [
      ['network/place', 0],
      ['accounts/provision', 3_600],
    ] as const)
      it(`counts ${kind} as sent ${agoS === 0 ? 'now' : 'since the backup'}`, async () => {
        const { id, fence } = await claimed({ kind });
        await intentDb.query(`update intents set presumed_sent_at = now() - interval '1 hour' where id = $1`, [id]);

        await intentDb.query('select presume_sent($1, $2, $3)', [id, fence, '{}']);

        const [row] = await intentDb.query<{ state: string; ago_s: number }>(
          'select state, extract(epoch from now() - sending_at)::float8 as ago_s from intents where id = $1',
          [id],
        );
        expect(row?.state).to.equal('in_doubt');
        expect(row?.ago_s).to.be.within(agoS, agoS + 5);
      });
  });

  describe('mark_in_doubt', () => {
    it('schedules a reconciliation by the task of its kind', async () => {
      const { id, fence } = await sent({ kind: 'accounts/provision' });
      await intentDb.finishJobs(id);

      await intentDb.markInDoubt(id, fence, 3);

      const [job] = await jobsOf(id);
      expect(await intentDb.row(id)).to.include({ state: 'in_doubt', reconcile_attempts: 1 });
      expect(job).to.include({ task: 'accounts/provision' });
      expect(job?.in_ms).to.be.within(2_000, 3_000);
    });

    it('is rejected for an intent that was never sent', async () => {
      const { id, fence } = await claimed();

      expect(await intentDb.markInDoubt(id, fence)).to.equal(false);
      expect(await intentDb.row(id)).to.include({ state: 'running' });
    });
  });
});
