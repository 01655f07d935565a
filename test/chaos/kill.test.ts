import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { auditOrders, quantile } from './audit.ts';
import { killUntil } from './kills.ts';
import { allSettled, openStage, placeOne, type Stage } from './stage.ts';

const ORDERS = Number(process.env.CHAOS_ORDERS ?? 240);
const TRADERS = Number(process.env.CHAOS_TRADERS ?? 30);
const PER_SECOND = Number(process.env.CHAOS_RATE ?? 24);
const WORKERS = 3;
const PAIRS = ['BTCUSDC', 'ETHUSDC'];

/** What goes wrong at the venue beside the kills, and how often. */
const FAULTS = [
  { kind: 'accept_then_drop', rate: 0.05 },
  { kind: 'status_500', rate: 0.05 },
  { kind: 'reset', rate: 0.02 },
  { kind: 'hang', rate: 0.02 },
  { kind: 'late', rate: 0.01, delayMs: 2_500 },
] as const;

describe('workers that are killed while they send', function () {
  this.timeout(60_000 + ORDERS * 300);
  let stage: Stage;
  before(async () => {
    stage = await openStage({
      workers: WORKERS,
      party: { processingMs: 250 },
      settings: { ORDER_DEADLINE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000' },
    });
    const seed = Number(process.env.CHAOS_SEED ?? 1);
    for (const fault of FAULTS) stage.party.faults.add({ ...fault, seed, route: '/miner/api/submit-order' });
  });
  after(() => stage.close());

  it('lose no order and double none, and their work goes on within 15 s', async () => {
    const traders = await stage.traders(TRADERS);
    const load = placeAll(traders);
    const takeovers = await killUntil(stage, load);
    await load;
    await allSettled(stage, 60_000);

    const audit = await auditOrders(stage);
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => Math.round(quantile(takeovers.msOfJobs, share)));
    console.log(`      orders ${JSON.stringify(audit)}`);
    console.log(
      `      ${takeovers.kills} kills; ${takeovers.msOfJobs.length} jobs held; taken over p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`,
    );
    expect(audit).to.include({ orders: ORDERS, lost: 0, doubled: 0, denied: 0, strange: 0 });
    expect(takeovers.msOfJobs, 'kills that met work').to.not.be.empty;
    expect(p99).to.be.at.most(15_000);
  });
});

async function placeAll(traders: Caller[]): Promise<void> {
  const placed: Promise<string>[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const trader = traders[n % traders.length] as Caller; // there is at least one
    placed.push(placeOne(trader, PAIRS[n % PAIRS.length]));
    await sleep(1_000 / PER_SECOND);
  }
  await Promise.all(placed);
}
