import { until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { killBusiest } from '../kills.ts';
import { allSettled, openStage, placeOne } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

/** Orders for a miner with few threads: more than it works on at once, from several workers, some of which are killed. */
export type Queue = {
  orders: number;
  threads: number;
  processingMs: readonly [number, number];
  workers: number;
  kills: number;
  settings: Record<string, string>;
  settleWithinMs: number;
};

/** The result: the ledger beside what was reported, why orders were not executed, and the most requests at once. */
export type Queued = {
  audit: Audit;
  problems: string[];
  mostRequests: number;
  mostLookUps: number;
  tookMs: number;
  kills: number;
};

/** Places all orders at once and kills workers while their requests are in progress; the miner carries them out late. */
export async function queueAtMiner({
  orders,
  threads,
  processingMs,
  workers,
  kills,
  settings,
  settleWithinMs,
}: Queue): Promise<Queued> {
  const stage = await openStage({
    workers,
    upstream: { threads, processingMs },
    settings: { ...settings, NETVENUE_MINER_THREADS: String(threads) },
  });
  try {
    const traders = await stage.traders(orders);
    const startedAt = performance.now();
    const taken = await Promise.all(traders.map((trader) => placeOne(trader)));
    const filled = () => stage.upstream.ledger.entries().filter(({ kind }) => kind === 'market').length;
    const executed = (count: number) => async () => filled() >= count || null;
    for (let n = 1; n <= kills; n++) {
      await until('orders at the miner', executed((n * orders) / (kills + 2)), settleWithinMs);
      await killBusiest(stage);
    }
    await allSettled(stage, settleWithinMs);
    const tookMs = performance.now() - startedAt;
    const ended = await stage.rows<{ code: string }>(
      `select outcome -> 'problem' ->> 'code' as code from intents where state in ('failed', 'expired')`,
    );
    const problems = ended.map(({ code }) => code);
    const [mostRequests, mostLookUps] = [stage.upstream.mostRequests(), stage.upstream.mostLookUps()];
    return { audit: await auditOrders(stage, taken), problems, mostRequests, mostLookUps, tookMs, kills };
  } finally {
    await stage.close();
  }
}

/** Whether nothing was reported wrongly and every order was executed. */
export function queueVerdict(
  { audit, problems, mostRequests, mostLookUps, tookMs, kills }: Queued,
  { orders, threads }: Pick<Queue, 'orders' | 'threads'>,
): Verdict {
  const { forgotten, lost, doubled, denied, strange, states } = audit;
  const wrong = forgotten + lost + doubled + denied + strange;
  return {
    promise: 'QUEUED',
    text: `${orders} orders at once at a miner with ${threads} threads`,
    figure: `${states.succeeded ?? 0} executed (others: ${problems.join(', ') || 'none'}), ${wrong} reported wrongly, at most ${mostRequests} requests and ${mostLookUps} look-ups at once, in ${seconds(tookMs)} with ${kills} kills`,
    bound: 'all executed, 0 reported wrongly, never more requests than threads, and a look-up, with one for each kill',
    kept: wrong === 0 && states.succeeded === orders && mostRequests <= threads && mostLookUps <= 1 + kills,
  };
}
