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

  describe('accept_intents', () => {
    it('gives every item of a batch its own verdict', async () => {
      const known = item({ digest: '0a', idempotency_key: 'k1' });
      const foreign = item({ owner: 'ptn_b' });
      await intentDb.accept(known, foreign);
      const [byKey, reused, taken, fresh] = [
        item({ digest: '0a', idempotency_key: 'k1' }),
        item({ digest: '0b', idempotency_key: 'k1' }),
        item({ id: foreign.id, idempotency_key: 'k2' }),
        item({ idempotency_key: 'k3' }),
      ];

      const verdicts = await intentDb.accept(byKey, { ...known, idempotency_key: undefined }, reused, taken, fresh);

      expect(verdicts).to.deep.equal([
        { n: 0, intent_id: known.id, verdict: 'replayed' },
        { n: 1, intent_id: known.id, verdict: 'replayed' },
        { n: 2, intent_id: known.id, verdict: 'key_reused' },
        { n: 3, intent_id: foreign.id, verdict: 'id_taken' },
        { n: 4, intent_id: fresh.id, verdict: 'accepted' },
      ]);
      expect(await intentDb.row(byKey.id)).to.equal(undefined);
      expect(await intentDb.query('select key from idempotency_keys order by key')).to.deep.equal([
        { key: 'k1' },
        { key: 'k3' },
      ]);
    });

    it('distinguishes two identical items of one batch: the second replays the first', async () => {
      const [one, two] = [item({ idempotency_key: 'same' }), item({ idempotency_key: 'same' })];

      const verdicts = await intentDb.accept(one, two);

      expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'replayed']);
      expect(verdicts[1]?.intent_id).to.equal(one.id);
    });

    it('keeps the same key of two owners separate', async () => {
      const verdicts = await intentDb.accept(
        item({ idempotency_key: 'mine' }),
        item({ idempotency_key: 'mine', owner: 'ptn_b', digest: '01' }),
      );

      expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'accepted']);
    });

    it('gives a key that an intent does not keep to the same request, and to no other', async () => {
      const first = item({ idempotency_key: 'passing' });
      await intentDb.accept(first);
      await intentDb.query(
        `update intents set state = 'failed', settled_at = now(), outcome = '{"problem": {"code": "RATE_LIMITED"}}' where id = $1`,
        [first.id],
      );

      const other = await intentDb.accept(item({ idempotency_key: 'passing', digest: '01' }));
      const same = await intentDb.accept(item({ idempotency_key: 'passing' }));

      expect([...other, ...same].map(({ verdict }) => verdict)).to.deep.equal(['key_reused', 'accepted']);
    });

    it('queues one job for each accepted intent, with only the id in it', async () => {
      const id = await accepted({ kind: 'network/close', request: { secret: 'no' } });

      const jobs = await jobsOf(id);
      const [{ payload } = { payload: null }] = await intentDb.query<{ payload: object | null }>(
        `select payload from queue_jobs where payload ->> 'intent_id' = $1`,
        [id],
      );

      expect(jobs.map(({ task }) => task)).to.deep.equal(['network/close']);
      expect(payload).to.deep.equal({ intent_id: id });
    });

    it('writes all of a batch or, when one item cannot be written, nothing', async () => {
      const [good, bad] = [item(), item({ digest: 'no hex' })];

      const failure = await intentDb.accept(good, bad).catch((error) => error);

      expect(failure).to.be.instanceOf(Error);
      expect(await intentDb.row(good.id)).to.equal(undefined);
      expect(await jobsOf(good.id)).to.deep.equal([]);
    });
  });

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
