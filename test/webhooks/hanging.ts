import { until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { openDeliveries } from '../support/webhooks.ts';
import { emitSteadily, lateness, manyEndpoints, quantile } from './load.ts';

/** The number of endpoints, how many of them never respond, and the rate of events. */
export type Load = { endpoints: number; hanging: number; perS: number; forS: number; seed: number };

/** Latencies at the endpoints that respond in both runs, in milliseconds from the event to its first byte. */
export type Outcome = { p50: number; p95: number; most: number; delivered: number };

/**
 * One run on a separate database. With `hanging` above 0 the first endpoints never respond; the figures are those of
 * the others.
 */
export async function runWith({ endpoints, hanging, perS, forS, seed }: Load, isHanging: boolean): Promise<Outcome> {
  const d = await openDeliveries();
  const isHealthy = (path: string) => Number(path.slice(1)) >= hanging;
  const receiver = await startReceiver(({ path }) => (isHanging && !isHealthy(path) ? 'hang' : 200));
  const reported = await manyEndpoints(d, receiver.url, endpoints);
  await d.startWorker();
  const healthy = reported.filter(({ path }) => isHealthy(path)).map(({ id }) => id);
  const delivered = () => until('the deliveries to the healthy', async () => !(await d.rows(OPEN, [healthy])).length);
  for (const { app } of reported) await d.emit(app, 'warm');
  await delivered();
  const before = receiver.ledger.length;

  await emitSteadily(d, reported, { perS, forS, seed });
  await delivered();

  const late = receiver.ledger
    .slice(before)
    .filter(({ path }) => isHealthy(path))
    .map(lateness);
  await receiver.close();
  await d.stop();
  return { p50: quantile(late, 0.5), p95: quantile(late, 0.95), most: Math.max(...late), delivered: late.length };
}

const OPEN = `
  select
  from webhook_deliveries
  where endpoint_id = any($1) and state in ('pending', 'sending')
  limit 1`;
