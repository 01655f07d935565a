import { expect } from 'chai';
import { listTaskNames } from '../../src/intents/task.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import {
  type Assessment,
  exhaustJobs,
  intentAt,
  lockJobs,
  type Operator,
  operatorOf,
  workerSeen,
} from '../support/operator.ts';

type Assessed = Pick<Assessment, 'verdict'>;
/** Of the console, whose files are checked as JavaScript of a browser. */
type Console = { wordOf(assessed: Assessed): string; isRunnable(assessed: Assessed): boolean };

const PLACES = ['queued', 'running', 'sent', 'in_doubt', 'succeeded', 'failed', 'expired'] as const;
const ENDED = ['succeeded', 'failed', 'expired'];
const KINDS = [
  'network/place',
  'accounts/provision',
  'payments/checkout',
  'payouts/submit',
  'kyc/session',
  'unheard/of',
];
const JOBS = ['queued', 'exhausted', 'of a living worker', 'of a dead worker', 'lost'] as const;
const SENT_HOURS_AGO = [0, 24];
const BEHIND = [false, true];
const PROBLEMS = [{}, { effect: 'unknown' }];
const WORDS = ['safe', 'not safe', 'nothing to do', 'not needed'];

type Point = {
  place: (typeof PLACES)[number];
  kind: string;
  job: (typeof JOBS)[number];
  hours: number;
  isBehind: boolean;
  problem: object;
};

/** Every combination that differs: only what was sent has an age, only what ended a problem. */
const POINTS: Point[] = PLACES.flatMap((place) =>
  KINDS.flatMap((kind) =>
    JOBS.flatMap((job) =>
      BEHIND.flatMap((isBehind) =>
        (place === 'sent' || place === 'in_doubt' ? SENT_HOURS_AGO : [0]).flatMap((hours) =>
          (place === 'failed' ? PROBLEMS : [{}]).map((problem) => ({ place, kind, job, hours, isBehind, problem })),
        ),
      ),
    ),
  ),
);

describe('the badge of a re-run', () => {
  let intentDb: IntentDatabase;
  let operator: Operator;
  let shown: Console;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = operatorOf(intentDb);
    shown = await import(new URL('../../src/console/assessment.js', import.meta.url).href);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, worker_processes cascade; delete from queue_jobs'));

  async function intentOf({ place, kind, job, hours, isBehind, problem }: Point, n: number): Promise<string> {
    const lane = `lane-${n}`;
    if (isBehind) await intentAt(intentDb, 'queued', { lane });
    const isEnded = ENDED.includes(place); // ends as an order: what follows the end of others needs their rows
    const id = await intentAt(intentDb, isBehind ? 'queued' : place, { kind: isEnded ? 'network/place' : kind, lane });
    await intentDb.query(
      `update intents
       set kind = $4, sending_at = sending_at - make_interval(hours => $2),
         outcome = case when state = 'failed' then jsonb_set(outcome, '{problem}', (outcome -> 'problem') || $3) else outcome end
       where id = $1`,
      [id, hours, problem, kind],
    );
    if (job === 'exhausted') await exhaustJobs(intentDb, id);
    if (job === 'of a living worker') await lockJobs(intentDb, id, await workerSeen(intentDb, 0));
    if (job === 'of a dead worker') await lockJobs(intentDb, id, await workerSeen(intentDb, 9));
    if (job === 'lost') await intentDb.finishJobs(id);
    return id;
  }

  it(`says safe of an intent exactly if a re-run does something, in ${POINTS.length} situations`, async () => {
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const [n, point] of POINTS.entries()) {
      const id = await intentOf(point, n);
      const assessed = (await operator.assess(id)) as Assessment; // as: it exists
      const result = await operator.rerun(id);
      const word = shown.wordOf(assessed);
      seen.add(`${assessed.verdict}: ${word}`);
      const isRight = (word === 'safe') === result?.done && shown.isRunnable(assessed) === result?.done;
      if (!isRight || !WORDS.includes(word)) wrong.push(`${JSON.stringify(point)}: ${assessed.verdict}, ${word}`);
    }

    expect(wrong).to.deep.equal([]);
    expect([...seen].sort()).to.deep.equal([
      'at_work: not needed',
      'finished: nothing to do',
      'queued_again: safe',
      'reconcile_again: safe',
      'send_again: safe',
      'would_act_twice: not safe',
    ]);
  });

  it('says safe of a job exactly if a re-run does something, of every task', async () => {
    const wrong: string[] = [];
    for (const task of [...listTaskNames(), 'unheard/of'])
      for (const isDead of [true, false]) {
        const [job] = await intentDb.query<{ id: string }>(
          `select (graphile_worker.add_job($1, '{"mail_id": "m", "event_id": "e"}', run_at => now() + interval '1 hour')).id`,
          [task],
        );
        if (isDead) await intentDb.query('update queue_jobs set attempts = max_attempts where id = $1', [job?.id]);
        const [assessed] = await intentDb.query<Assessed>('select * from ops.safe_to_rerun_job($1)', [job?.id]);
        const [result] = await intentDb.query<{ done: boolean }>(`select * from ops.rerun_job($1, 'ada', 'why')`, [
          job?.id,
        ]);
        const word = assessed && shown.wordOf(assessed);
        if ((word === 'safe') !== result?.done) wrong.push(`${task}, dead: ${isDead}: ${assessed?.verdict}, ${word}`);
      }

    expect(wrong).to.deep.equal([]);
  });
});
