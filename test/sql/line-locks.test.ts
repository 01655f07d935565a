import { expect } from 'chai';
import {
  type DbSession,
  type IntentDatabase,
  item,
  openIntentDatabase,
  type Row,
  WAITING,
} from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const PER_MINUTE = 5;
const SLOTS = 2;
const UPSTREAM = 'miner:x';

describe('requests that begin to be sent to one upstream', () => {
  let intentDb: IntentDatabase;
  let sessions: [DbSession, DbSession];
  before(async () => {
    intentDb = await openIntentDatabase();
    sessions = [await intentDb.session(), await intentDb.session()];
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots, paces cascade; delete from queue_jobs'));

  /** An intent of a trader that a worker has claimed. */
  const claimed = async (trader: string): Promise<Row> => {
    const one = item({ request: { trader } });
    await intentDb.accept(one);
    await intentDb.finishJobs(one.id);
    return (await intentDb.claim(one.id)) as Row;
  };
  /** What becomes of one of a batch that begins to be sent, whose paces are locked before. */
  const begin = async ({ id, fence }: Pick<Row, 'id' | 'fence'>, trader: string, session: DbSession = intentDb) => {
    const [row] = await session.query<{ begun: string }>(
      `select begin_sending_within($1, $2, '{}', '${UPSTREAM}', ${SLOTS}, 30, 0, false, $3, ${PER_MINUTE}) as begun
       from lock_paces(array[$3])`,
      [id, fence, `signals:${trader}`],
    );
    return row?.begun;
  };
  /** What becomes of one that a worker claims in a batch. */
  const beginAgain = async ({ id }: Row, trader: string, session: DbSession) => {
    const { fence } = (await session.claim(id)) as Row;
    return begin({ id, fence }, trader, session);
  };
  const waits = (count: number) =>
    until('they wait', async () => (await intentDb.query(WAITING)).length >= count || null);

  it('do not deadlock with one of the same trader that never left', async () => {
    const [left, next, other] = [await claimed('t'), await claimed('t'), await claimed('u')];
    expect(await begin(left, 't')).to.equal('sent');
    const [batch, back] = sessions;

    await batch.query(`begin; set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
    expect(await begin(next, 't', batch)).to.equal('sent');
    const putBack = back.query<{ ok: boolean }>(`select retry_intent($1, $2, 0, '{}', true) as ok`, [
      left.id,
      left.fence,
    ]);
    putBack.catch(() => {}); // read below
    await waits(1);
    expect(await begin(other, 'u', batch)).to.equal('waiting');
    await batch.query('commit');

    expect(await putBack).to.deep.equal([{ ok: true }]);
  });

  it('do not deadlock with each other where their traders are out of pace by then', async () => {
    const traders = ['t', 'u'];
    const first = await Promise.all(traders.map(claimed));
    for (const [n, one] of first.entries()) expect(await begin(one, traders[n] ?? '')).to.equal('sent');
    const handed: Row[] = [];
    for (const trader of traders) {
      const one = await claimed(trader);
      expect(await begin(one, trader)).to.equal('waiting');
      handed.push(one);
    }
    const others = [await claimed('v'), await claimed('w')];
    for (const [n, one] of others.entries()) expect(await begin(one, 'vw'[n] ?? '')).to.equal('waiting');
    for (const { id, fence } of first) await intentDb.settle(id, fence);
    const holding = await intentDb.query<{ intent_id: string }>('select intent_id from upstream_slots order by 1');
    expect(holding.map(({ intent_id }) => intent_id)).to.have.members(handed.map(({ id }) => id));
    for (const trader of traders) await intentDb.query(`select spend_pace('signals:${trader}', ${PER_MINUTE})`);
    const newcomers = [await claimed('x'), await claimed('y')];

    const begins = async (nth: number) => {
      const begun = await begin(newcomers[nth] as Row, 'xy'[nth] ?? '', sessions[nth]);
      await sessions[nth]?.query('commit');
      return begun;
    };

    for (const session of sessions) await session.query(`begin; set local lock_timeout = '300ms'`);
    expect(await beginAgain(handed[0] as Row, 't', sessions[0])).to.equal('waiting');
    const second = beginAgain(handed[1] as Row, 'u', sessions[1]);
    const both = second.then(async (begun) => [begun, await begins(1)]);
    both.catch(() => {}); // read below
    await Promise.race([second, waits(1)]);

    expect(await begins(0)).to.equal('waiting');
    expect(await both).to.deep.equal(['waiting', 'waiting']);
  });
});
