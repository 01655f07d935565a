import { expect } from 'chai';
import fc from 'fast-check';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

type Op = {
  do: 'accept' | 'claim' | 'send' | 'settle' | 'doubt' | 'retry' | 'expire' | 'finish';
  pick: number;
};
type KnownIntent = {
  id: string;
  lane: string;
  fence: number;
  accepted: number;
  started: number | null;
  ended: boolean;
};

const LANES = ['a', 'b', 'c'];
const ops: fc.Arbitrary<Op[]> = fc.array(
  fc.record({
    do: fc.constantFrom(
      'accept',
      'accept',
      'claim',
      'claim',
      'send',
      'send',
      'settle',
      'doubt',
      'doubt',
      'retry',
      'expire',
      'finish',
    ),
    pick: fc.nat(1_000),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

/** Everything that must hold after every step, whatever the workers do. */
const INVARIANTS = `
  select 'two of one lane at work' as broken, i.lane as at
  from intents i where i.state = 'running' and i.lane is not null group by i.lane having count(*) > 1
  union all
  select 'at work without being the head', i.id::text
  from intents i join lanes l on l.name = i.lane where i.state = 'running' and l.head is distinct from i.id
  union all
  select 'the head has ended or is in doubt', l.name
  from lanes l join intents h on h.id = l.head where h.state not in ('queued', 'running')
  union all
  select 'waiting in a lane without a head', i.id::text
  from intents i join lanes l on l.name = i.lane where i.state = 'queued' and l.head is null
  union all
  select 'open, without a job and behind nobody', i.id::text
  from intents i left join lanes l on l.name = i.lane
  where i.state in ('queued', 'running', 'in_doubt')
    and (i.state = 'in_doubt' or l.head = i.id)
    and not exists (select from queue_jobs j where j.payload ->> 'intent_id' = i.id::text)
  union all
  select 'a job though it is not its turn', i.id::text
  from intents i join lanes l on l.name = i.lane
  join queue_jobs j on j.payload ->> 'intent_id' = i.id::text
  where i.state = 'queued' and l.head <> i.id`;

describe('intents under any schedule', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('run one at a time per lane, in order of acceptance, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(ops, async (schedule) => {
        await intentDb.query('truncate intents, lanes cascade; delete from queue_jobs');
        const known: KnownIntent[] = [];
        for (const op of schedule) {
          await step(op, known);
          expect(await intentDb.query(INVARIANTS), op.do).to.deep.equal([]);
        }
        expectFirstComeFirstStarted(known);
        await drain(known);
        expect(await intentDb.query(`select from intents where settled_at is null`)).to.deep.equal([]);
        expect(await intentDb.query('select from lanes where head is not null')).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
    for (const move of ['send', 'settle', 'doubt', 'retry'] as const) expect(changed[move], move).to.be.above(5);
  }).timeout(60_000);

  let clock = 0;
  const changed: Partial<Record<Op['do'], number>> = {};

  /** One step of some worker, on an intent drawn by `pick`: its job, its claim, or an older one. */
  async function step({ do: move, pick }: Op, known: KnownIntent[]): Promise<void> {
    if (move === 'accept') return accept(LANES[pick % LANES.length] as string, known);
    const jobs = await intentDb.jobs();
    if (move === 'claim' || move === 'finish') {
      const job = jobs[pick % Math.max(1, jobs.length)];
      const one = known.find(({ id }) => id === job?.intent_id);
      if (!one) return;
      if (move === 'claim') return claim(one);
      const { state } = await intentDb.row(one.id);
      // a job ends after its work
      if (['succeeded', 'failed', 'expired'].includes(state)) await intentDb.finishJobs(one.id);
      return;
    }
    const busy = known.filter(({ fence, ended }) => fence > 0 && !ended);
    const one = busy[pick % Math.max(1, busy.length)];
    if (one) await act(move, one, pick);
  }

  async function act(move: Op['do'], one: KnownIntent, pick: number): Promise<void> {
    const { id } = one;
    const fence = pick % 7 === 0 ? one.fence - 1 : one.fence; // some use a claim they have lost
    if (move === 'send') note(move, await intentDb.beginSending(id, fence));
    if (move === 'doubt') note(move, await intentDb.markInDoubt(id, fence));
    if (move === 'retry') note(move, await intentDb.retry(id, fence));
    if (move === 'expire') await intentDb.query(`update intents set deadline_at = now() where id = $1`, [id]);
    if (move === 'settle')
      one.ended = note(move, await intentDb.settle(id, fence, pick % 2 === 0 ? 'succeeded' : 'failed'));
  }

  /** Counts the steps that changed something: a schedule of rejections proves nothing. */
  function note(move: Op['do'], done: boolean): boolean {
    if (done) changed[move] = (changed[move] ?? 0) + 1;
    return done;
  }

  async function accept(lane: string, known: KnownIntent[]): Promise<void> {
    const one = item({ lane });
    await intentDb.accept(one);
    clock += 1;
    known.push({ id: one.id, lane, fence: 0, accepted: clock, started: null, ended: false });
  }

  async function claim(one: KnownIntent): Promise<void> {
    const held: Row | null = await intentDb.claim(one.id);
    if (!held) return;
    clock += 1;
    one.fence = held.fence;
    one.started ??= clock;
  }

  function expectFirstComeFirstStarted(known: KnownIntent[]): void {
    for (const lane of LANES) {
      const started = known.filter((one) => one.lane === lane && one.started !== null);
      const inOrderOfStart = [...started].sort((a, b) => Number(a.started) - Number(b.started));
      expect(inOrderOfStart.map(({ accepted }) => accepted)).to.deep.equal(started.map(({ accepted }) => accepted));
    }
  }

  /** The steps of workers without failures: every job is done until none is left. */
  async function drain(known: KnownIntent[]): Promise<void> {
    for (let round = 0; round <= known.length; round += 1) {
      for (const { intent_id } of await intentDb.jobs()) {
        const held = await intentDb.claim(intent_id);
        const row = held ?? (await intentDb.row(intent_id));
        await intentDb.settle(intent_id, row.fence);
        await intentDb.finishJobs(intent_id);
      }
    }
  }
});
