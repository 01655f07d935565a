import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import { type Passage, type Watched, watchMiner } from '../support/watched.ts';
import { auditOrders } from './audit.ts';
import { allSettled, openStage, placeOne, type Stage } from './stage.ts';

const LANES = 20;
const DEEP = Number(process.env.CHAOS_LANE_DEPTH ?? 6); // orders of one lane
const PROCESSING_MS = 40;
const TRADERS = Number(process.env.CHAOS_LANE_TRADERS ?? 5_000);

describe('lanes across worker processes', function () {
  this.timeout(120_000);
  let stage: Stage;
  let watched: Watched;

  const open = async (workers: number, settings: Record<string, string> = {}) => {
    stage = await openStage({ upstream: { processingMs: PROCESSING_MS }, workers: 0, settings });
    watched = await watchMiner(stage.upstream.minerUrl);
    for (let n = 0; n < workers; n++) await stage.startWorker({ NETVENUE_MINER_URL: watched.minerUrl });
  };
  afterEach(async () => {
    await stage.close();
    await watched.close();
  });

  it('never let two orders of one trader and pair overlap or swap, while one of four workers is replaced', async () => {
    // an order in doubt would leave its lane
    await open(4, { ORDER_DEADLINE_MS: '60000', NETVENUE_PATIENCE_MS: '60000' });
    const traders = await stage.traders(LANES);
    const placed = traders.map((trader) => placeInTurn(trader, DEEP));
    await until('some orders at the venue', () => watched.passages.length > LANES || null);
    [...stage.workers][0]?.kill('SIGTERM');
    await stage.startWorker({ NETVENUE_MINER_URL: watched.minerUrl });
    const accepted = await Promise.all(placed);
    await allSettled(stage, 30_000);

    const lanes = Map.groupBy(watched.passages, ({ lane }) => lane);
    const pauses = [...lanes.values()].flatMap(pausesOf);
    console.log(
      `      ${watched.passages.length} orders in ${lanes.size} lanes; between two of a lane at least ${Math.min(...pauses).toFixed(1)} ms; ` +
        `${(watched.passages.length / (spanMs(watched.passages) / PROCESSING_MS)).toFixed(1)} at the venue at once`,
    );
    expect(lanes.size).to.equal(LANES);
    expect(pauses.filter((ms) => ms < 0)).to.be.empty;
    for (const [n, uuids] of accepted.entries()) {
      expect(lanes.get(`${n}:BTCUSDC`)?.map(({ uuid }) => uuid)).to.deep.equal(uuids);
    }
    expect(await auditOrders(stage)).to.include({ orders: LANES * DEEP, lost: 0, doubled: 0, denied: 0 });
  });

  it(`do not wait for one another: one hangs, ${TRADERS} traders in the table`, async () => {
    await open(2, { NETVENUE_PATIENCE_MS: '60000', ORDER_DEADLINE_MS: '60000' });
    const [hanging, ...others] = (await stage.traders(TRADERS)) as [Caller, ...Caller[]];
    stage.upstream.faults.add({ kind: 'hang', route: '/miner/api/submit-order', times: 1 });
    const waiting = [await placeOne(hanging), await placeOne(hanging), await placeOne(hanging)];
    const startedAt = performance.now();
    const every = Math.floor(others.length / 80);
    const prompt = await Promise.all(others.filter((_, n) => n % every === 0).map((trader) => placeOne(trader)));
    await until('the others settled', async () => (await stateCounts(stage)).succeeded === prompt.length || null);

    const states = await stateCounts(stage);
    console.log(`      ${prompt.length} orders of other traders in ${Math.round(performance.now() - startedAt)} ms`);
    expect(states).to.deep.equal({ succeeded: prompt.length, running: 1, queued: waiting.length - 1 });
  });
});

async function placeInTurn(trader: Caller, count: number): Promise<string[]> {
  const uuids: string[] = [];
  for (let n = 0; n < count; n++) uuids.push(await placeOne(trader));
  return uuids;
}

/** From the end of one passage to the start of the next, sorted by their starts; sorts the argument in place. */
function pausesOf(passages: Passage[]): number[] {
  passages.sort((a, b) => a.startedAt - b.startedAt);
  return passages.slice(1).map(({ startedAt }, n) => startedAt - (passages[n]?.endedAt ?? 0));
}

const spanMs = (passages: Passage[]) =>
  Math.max(...passages.map(({ endedAt }) => endedAt)) - Math.min(...passages.map(({ startedAt }) => startedAt));

async function stateCounts({ rows }: Stage): Promise<Record<string, number>> {
  const counts = await rows<{ state: string; count: number }>(
    'select state, count(*)::integer as count from intents group by 1',
  );
  return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
}
