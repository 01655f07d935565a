import { startReceiver } from '../support/receivers.ts';
import { openDeliveries } from '../support/webhooks.ts';
import { emitSteadily, lateness, manyEndpoints, quantile } from './load.ts';

/** How many endpoints there are, how many of them never answer, and how events come. */
export type Load = { endpoints: number; hanging: number; perS: number; forS: number; seed: number };

/** Latencies at the endpoints that answer in both runs, in milliseconds from the event to its first byte. */
export type Outcome = { p50: number; p95: number; most: number; delivered: number };

/** One run on a database of its own. With `hanging` above 0 the first endpoints never answer; figures are the others' own. */
export async function runWith({ endpoints, hanging, perS, forS, seed }: Load, silent: boolean): Promise<Outcome> {
  const d = await openDeliveries();
  const isHealthy = (path: string) => Number(path.slice(1)) >= hanging;
  const receiver = await startReceiver(({ path }) => (silent && !isHealthy(path) ? 'hang' : 200));
  const told = await manyEndpoints(d, receiver.url, endpoints);
  await d.startWorker();
  for (const { app } of told) await d.emit(app, 'warm');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = receiver.ledger.length;

  await emitSteadily(d, told, { perS, forS, seed });
  await new Promise((resolve) => setTimeout(resolve, 500));

  const late = receiver.ledger
    .slice(before)
    .filter(({ path }) => isHealthy(path))
    .map(lateness);
  await receiver.close();
  await d.stop();
  return { p50: quantile(late, 0.5), p95: quantile(late, 0.95), most: Math.max(...late), delivered: late.length };
}
