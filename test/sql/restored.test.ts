import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

const UNLOGGED = ['lanes', 'paces', 'unlogged_state', 'upstream_proofs', 'upstream_slots'];
const LANE = 'netvenue:t:BTCUSDC';
const PER_MINUTE = 2;

/** PostgreSQL empties unlogged tables after a crash, and on a standby that takes over. */
describe('what the log of the database does not have', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  const crash = () => intentDb.query(`truncate ${UNLOGGED.join(', ')}`);
  beforeEach(async () => {
    await intentDb.query('truncate intents cascade; delete from queue_jobs');
    await crash();
  });

  const { begin, claimed, arrive, queuedNow } = slotsOf(() => intentDb);
  const accept = async (more: Record<string, unknown> = {}): Promise<string> => {
    const one = item({ lane: LANE, ...more });
    await intentDb.accept(one);
    return one.id;
  };
  const waiting = async () => (await intentDb.jobs()).map(({ intent_id }) => intent_id);
  const settle = async (id: string) => {
    const held = (await intentDb.claim(id)) as Row;
    await intentDb.finishJobs(id);
    await intentDb.settle(id, held.fence);
  };
  const sweep = () => intentDb.query('select requeue_stranded()');

  it('is five tables', async () => {
    const tables = await intentDb.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relpersistence = 'u' order by relname`,
    );

    expect(tables.map(({ name }) => name)).to.deep.equal(UNLOGGED);
  });

  describe('lanes', () => {
    it('go on with those that wait, before an order that comes after the crash', async () => {
      const [first, second] = [await accept(), await accept()];
      await crash();

      const third = await accept();

      expect(await waiting()).to.deep.equal([first]);
      await settle(first);
      expect(await waiting()).to.deep.equal([second]);
      await settle(second);
      expect(await waiting()).to.deep.equal([third]);
    });

    it('go on behind an order that ends after the crash', async () => {
      const [first, second] = [await accept(), await accept()];
      await crash();
      await sweep();

      await settle(first);

      expect(await waiting()).to.deep.equal([second]);
    });

    it('have the one at their head that has a job, even if it is not the first, and that runs alone', async () => {
      const [first, beside, last] = [
        await accept({ alongside: 'BTC long' }),
        await accept({ alongside: 'ETH long' }),
        await accept(),
      ];
      await settle(first);
      await crash();

      await sweep();

      expect(await intentDb.headOf(LANE)).to.equal(beside);
      expect(await waiting()).to.deep.equal([beside]);
      await settle(beside);
      expect(await waiting()).to.deep.equal([last]);
    });

    it('keep the one at their head that is being executed, although one before it is to be sent again', async () => {
      const owed = await accept();
      const held = (await intentDb.claim(owed)) as Row;
      await intentDb.beginSending(owed, held.fence);
      const later = await accept();
      await intentDb.markInDoubt(owed, held.fence);
      await intentDb.finishJobs(owed);
      await intentDb.query(`select send_again($1, $2, '{}', true)`, [owed, held.fence]);
      expect([await intentDb.headOf(LANE), await waiting()]).to.deep.equal([later, [later]]);
      await crash();

      await sweep();

      expect([await intentDb.headOf(LANE), await waiting()]).to.deep.equal([later, [later]]);
    });

    it('give a job to the first whose job has used up its attempts', async () => {
      const [first] = [await accept(), await accept()];
      await intentDb.query('update queue_jobs set attempts = max_attempts');
      await crash();

      await sweep();

      expect(await intentDb.headOf(LANE)).to.equal(first);
      expect(await intentDb.query('select from queue_jobs where attempts < max_attempts')).to.have.length(1);
    });

    it('are found by who ends an order while they are made again', async () => {
      const [first, second] = [await accept(), await accept()];
      const held = (await intentDb.claim(first)) as Row;
      await intentDb.finishJobs(first);
      await crash();
      const ending = await intentDb.session();
      await ending.query('begin');
      await ending.settle(first, held.fence);

      const swept = sweep();
      await ending.query('commit');
      await swept;

      expect(await intentDb.headOf(LANE)).to.equal(second);
      expect(await waiting()).to.deep.equal([second]);
    });

    it('are made again once, however many come at once', async () => {
      const first = await accept();
      await crash();
      const sessions = await Promise.all(Array.from({ length: 4 }, () => intentDb.session()));

      await Promise.all(sessions.map((session) => session.accept(item({ lane: LANE }))));

      expect(await intentDb.headOf(LANE)).to.equal(first);
      expect(await waiting()).to.deep.equal([first]);
    });
  });

  describe('slots', () => {
    it('are held by those that were sent, also by one in doubt and one that ended after it was', async () => {
      const [ended, doubtful] = await arrive(2);
      await intentDb.markInDoubt(ended?.id ?? '', ended?.fence ?? 0);
      await intentDb.markInDoubt(doubtful?.id ?? '', doubtful?.fence ?? 0);
      await intentDb.settle(ended?.id ?? '', ended?.fence ?? 0);
      await crash();

      const newcomer = await claimed();

      expect(await begin(newcomer.id, newcomer.fence)).to.equal('waiting');
      expect(await holders()).to.have.members([ended?.id, doubtful?.id]);
    });

    it('are free where what was sent has ended or its hold is over, and go to the first in line', async () => {
      const [ended, over, first, second] = await arrive(4);
      await crash();
      await intentDb.settle(ended?.id ?? '', ended?.fence ?? 0);
      await intentDb.query(`update intents set sending_at = now() - interval '31 seconds' where id = $1`, [over?.id]);
      const newcomer = await claimed();

      const was = await begin(newcomer.id, newcomer.fence);

      expect(was).to.equal('waiting');
      expect(await queuedNow()).to.have.members([first?.id, second?.id]);
    });

    it('are all taken while more than there are may be at the upstream', async () => {
      const [first, second] = await arrive(2);
      const third = await claimed();
      expect(await begin(third.id, third.fence, { slots: 3 })).to.equal('sent');
      await crash();
      const newcomer = await claimed();

      expect(await begin(newcomer.id, newcomer.fence)).to.equal('waiting');
      await intentDb.settle(second?.id ?? '', second?.fence ?? 0);
      expect(await queuedNow()).to.deep.equal([]);
      await intentDb.settle(first?.id ?? '', first?.fence ?? 0);
      expect(await queuedNow()).to.deep.equal([newcomer.id]);
    });

    it('are made again by the first in line, though nobody comes', async () => {
      const [first] = (await arrive(3)).slice(2);
      await intentDb.query(
        'update intents set settled_at = now(), state = $$failed$$, outcome = $${}$$ where id <> $1',
        [first?.id],
      );
      await crash();

      await sweep();

      expect(await queuedNow()).to.deep.equal([first?.id]);
      const again = (await intentDb.claim(first?.id ?? '')) as Row;
      expect(await begin(again.id, again.fence)).to.equal('sent');
    });

    const holders = async () =>
      (
        await intentDb.query<{ id: string }>(
          `select intent_id as id from upstream_slots where held_until > now() order by slot`,
        )
      ).map(({ id }) => id);
  });

  describe('paces', () => {
    const sendSignal = async () => {
      const one = item({ request: { trader: 't' } });
      await intentDb.accept(one);
      const [row] = await intentDb.query<{ begun: string }>(
        `select begin_sending_within($1, 0, '{}', 'miner:x', 100, 30, 0, false, 'signals:t', $2, 0, true) as begun
         from lock_paces(array['signals:t'])`,
        [one.id, PER_MINUTE],
      );
      return { id: one.id, was: row?.begun };
    };

    it('count what was sent before, whether it has ended or not', async () => {
      const ended = await sendSignal();
      await intentDb.settle(ended.id, 1);
      await sendSignal();
      await crash();

      const beyond = await sendSignal();

      expect(beyond.was).to.equal('waiting');
    });

    it('count what is in doubt', async () => {
      const { id } = await sendSignal();
      await intentDb.markInDoubt(id, 1);
      await sendSignal();
      await crash();

      expect((await sendSignal()).was).to.equal('waiting');
    });

    it('forget what was sent longer ago than a minute', async () => {
      for (let n = 0; n < PER_MINUTE; n += 1) await sendSignal();
      await intentDb.query(`update intents set sending_at = now() - interval '63 seconds'`);
      await crash();

      expect((await sendSignal()).was).to.equal('sent');
    });
  });
});
