import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row, SETTLE } from '../support/intent-database.ts';

const THREADS = 5;
const SLOTS = 4; // the fifth thread is for look-ups
const FOR_EXITS = 1;
const STEPS = 400;

/** Numbers from 0 to below 1, the same for the same seed. */
const drawsOf = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

describe('requests at an upstream of few threads', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );

  for (const seed of [3, 4, 5, 6])
    it(`are never more than its threads, whatever is lost, late or found by records, and none waits forever (${seed})`, async () => {
      const draw = drawsOf(seed);
      const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(draw() * all.length)];
      /** What is truly at the upstream, and what the service knows of each request that it has sent. */
      const there = new Set<string>();
      const sent = new Map<string, { fence: number; state: 'running' | 'in_doubt' | 'ended' }>();
      const isExit = new Map<string, boolean>();

      const begin = async (id: string) => {
        const held = (await intentDb.claim(id)) as Row | null;
        if (!held) return;
        const [row] = await intentDb.query<{ begun: string }>(
          `select begin_sending_within($1, $2, '{}', 'miner:x', ${SLOTS}, 30, ${FOR_EXITS}, $3) as begun`,
          [id, held.fence, isExit.get(id)],
        );
        if (!row?.begun.startsWith('sent')) return;
        sent.set(id, { fence: held.fence, state: 'running' });
        if (draw() < 0.6) there.add(id); // else it never arrives
        if (row.begun === 'sent_by_proof') await intentDb.query('select note_left($1, $2)::text', [id, held.fence]);
        expect(there.size, 'requests at the upstream').to.be.at.most(THREADS);
      };
      const arrive = async () => {
        const one = item({ deadline_s: 3_600 });
        isExit.set(one.id, draw() < 0.3);
        await intentDb.accept(one);
        await intentDb.finishJobs(one.id);
        await begin(one.id);
      };
      const waiting = async () =>
        (await intentDb.query<{ id: string }>(`select id from intents where state = 'queued'`)).map(({ id }) => id);
      const runDue = async () => {
        const queued = new Set(await waiting());
        for (const { intent_id, in_ms } of await intentDb.jobs())
          if (in_ms <= 0 && queued.has(intent_id)) {
            await intentDb.finishJobs(intent_id);
            await begin(intent_id);
          }
      };
      const of = (state: 'running' | 'in_doubt') =>
        [...sent].filter(([, one]) => one.state === state).map(([id]) => id);
      const end = async (id: string, hasResponded: boolean, agoS: number | null = null) => {
        const one = sent.get(id);
        if (!one) return;
        const ending = draw() < 0.5 ? 'succeeded' : 'failed';
        await intentDb.query(SETTLE, [id, one.fence, ending, '{"result":{}}', agoS]);
        one.state = 'ended';
        if (!hasResponded) return;
        there.delete(id);
        await intentDb.query(`select release_slot($1, 'miner:x')`, [id]);
      };
      const doubt = async (id: string) => {
        await intentDb.markInDoubt(id, sent.get(id)?.fence ?? 0, 10);
        (sent.get(id) as { state: string }).state = 'in_doubt'; // as: it was sent
      };
      /** It has responded, and the effect stays open. */
      const leaveOpen = async (id: string, agoS: number) => {
        await intentDb.query('select mark_in_doubt($1, $2, 10, null, false, true, $3)', [
          ...[id, sent.get(id)?.fence],
          agoS,
        ]);
        (sent.get(id) as { state: string }).state = 'in_doubt'; // as: it was sent
        there.delete(id);
      };
      /** One that never arrived turns out not to have left: it is queued again. */
      const retry = async (id: string) => {
        await intentDb.retry(id, sent.get(id)?.fence ?? 0);
        sent.delete(id);
      };
      /**
       * A second passes, and one in doubt is looked up: at once, if a thread is free. Before what follows is recorded, others may have
       * ended, before the look-up or after it. What ended before it may be recorded only when the look-up has been.
       */
      const lookUp = async (id: string) => {
        await intentDb.query(
          `update intents set sending_at = sending_at - interval '1 second' where sending_at is not null`,
        );
        const running = () => pick(of('running').filter((one) => there.has(one)));
        const before = draw() < 0.3 ? running() : undefined;
        if (before) there.delete(before);
        const isFree = there.size < THREADS;
        const [asked] = await intentDb.query<{ s: number }>(
          `select extract(epoch from clock_timestamp() - i.sending_at)::float8 as s from intents i where i.id = $1`,
          [id],
        );
        const isLate = draw() < 0.5;
        if (before && !isLate) await end(before, true, 0.5);
        const after = draw() < 0.3 ? running() : undefined;
        if (after) await (draw() < 0.5 ? end(after, true, 0) : leaveOpen(after, 0));
        await intentDb.query(
          `select note_reached($1, 30), case when $2 then release_by_proof($1, $3, $3, $3)::text end`,
          [id, isFree, asked?.s],
        );
        if (before && isLate) await (draw() < 0.5 ? end(before, true, 0.5) : leaveOpen(before, 0.5));
      };

      for (let step = 0; step < STEPS; step++) {
        const [running, doubts] = [pick(of('running')), pick(of('in_doubt'))];
        const what = draw();
        if (what < 0.35) await arrive();
        else if (what < 0.5 && running)
          await (there.has(running) ? end(running, true) : draw() < 0.5 ? retry(running) : doubt(running));
        else if (what < 0.65 && running) await doubt(running);
        else if (what < 0.85 && doubts) await lookUp(doubts);
        else if (what < 0.92 && doubts && there.has(doubts)) await end(doubts, true);
        else if (doubts && draw() < 0.5) await end(doubts, false);
        await runDue();
      }

      for (let round = 0; (await waiting()).length > 0; round++) {
        expect(round, 'rounds until nothing waits').to.be.below(500);
        const [running, doubts] = [of('running')[0], pick(of('in_doubt'))];
        if (running) await (there.has(running) ? end(running, true) : doubt(running));
        else if (doubts) await (there.has(doubts) && draw() < 0.3 ? end(doubts, true) : lookUp(doubts));
        else there.clear();
        if (there.size >= THREADS) await respondLate();
        if (!running && !doubts) await holdIsOver();
        await runDue();
      }

      /** One responds that has ended by records. */
      async function respondLate() {
        const [id] = [...there].filter((one) => sent.get(one)?.state === 'ended');
        if (id === undefined || !there.delete(id)) return;
        await intentDb.query(`select release_slot($1, 'miner:x')`, [id]);
      }

      /** Nothing is known of those that have ended by records: their slots are free when the hold is over. */
      async function holdIsOver() {
        await intentDb.query(`update upstream_slots set held_until = now() - interval '1 second'`);
        await intentDb.query(
          `select release_slot(u.intent_id, u.upstream) from upstream_slots u where u.intent_id is not null`,
        );
      }
    });
});
