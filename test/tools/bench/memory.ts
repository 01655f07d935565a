import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../chaos/audit.ts';
import { type Running, startProgram, startWebProcess } from '../../support/processes.ts';
import { startReceiver } from '../../support/receivers.ts';
import { startTrading, type Trading } from '../../support/trading.ts';
import { makeTraders } from './arena.ts';
import { below, type Extent, type Figures, reported } from './figures.ts';
import { openLine } from './line.ts';
import { residentMb } from './usage.ts';

const ORDERS_PER_S = 50;
const NOTIFICATIONS_PER_S = 4;
const PARTNERS = 20;
const STREAMS_PER_PARTNER = 10;
const TRADERS_PER_PARTNER = 10;
const SAMPLE_MS = 5_000;
const MOST_MB = { web: 384, worker: 384 };
/** By how much the median of the last third may exceed that of the third before it. */
const FLAT = 1.05;

const FULL_S = 900;
const SMALL_S = 30;

/**
 * MEMORY: what web and worker hold, with orders, notifications (a mail and a webhook each) and streams of the partners' events
 * going on. The options of node are the Procfile's.
 */
export async function measureMemory({ small }: Extent): Promise<Figures> {
  const seconds = small ? SMALL_S : FULL_S;
  const service = await startTrading({
    settings: { THROTTLE_SCALE: '1000', VALIDATE_RESPONSES: 'false', NETVENUE_MINER_THREADS: '200' },
    upstream: { processingMs: 50 },
  });
  await service.stopWorkers();
  const web = await startWebProcess({ ...service.settings, PORT: '0' });
  const worker = startProgram('worker', { ...service.settings, LOG_LEVEL: 'info' });
  await worker.waitForLine(/worker is running/);
  const load = await openLoad(service, web.url);
  const held: Record<keyof typeof MOST_MB, number[]> = { web: [], worker: [] };
  const sampling = sampleEvery({ web, worker }, held);
  await load.run(seconds);
  clearInterval(sampling);
  const { received, placed, rejected } = load.counts();
  load.close();
  for (const each of [web, worker]) each.kill('SIGTERM');
  await Promise.all([web.exited, worker.exited]);
  await service.stop();
  return {
    name: 'MEMORY',
    title: `${ORDERS_PER_S} orders/s, ${NOTIFICATIONS_PER_S} notifications/s, ${PARTNERS * STREAMS_PER_PARTNER} streams, for ${seconds} s`,
    rows: [
      ...(['web', 'worker'] as const).flatMap((name) => [
        below(MOST_MB[name], { what: `${name}, most`, figure: Math.max(...held[name]), unit: 'MB' }),
        below(FLAT, { what: `${name}, last third beside the one before`, figure: growth(held[name]), unit: '×' }),
      ]),
      reported({ what: 'orders accepted', figure: placed, unit: '' }),
      reported({ what: 'orders rejected, because the machine was too busy', figure: rejected, unit: '' }),
      reported({ what: 'events that the streams received', figure: received, unit: '' }),
    ],
  };
}

function growth(samples: number[]): number {
  const third = Math.floor(samples.length / 3);
  return quantile(samples.slice(-third), 0.5) / quantile(samples.slice(-2 * third, -third), 0.5);
}

const sampleEvery = (processes: { web: Running; worker: Running }, held: { web: number[]; worker: number[] }) =>
  setInterval(async () => {
    held.web.push(await residentMb(processes.web.pid));
    held.worker.push(await residentMb(processes.worker.pid));
  }, SAMPLE_MS);

async function openLoad(service: Trading, url: string) {
  const receiver = await startReceiver();
  await service.tenant.ask('POST', '/v2/webhook-endpoints', { json: { url: receiver.url, events: ['*'] } });
  const partners = await Promise.all(
    Array.from({ length: PARTNERS }, () =>
      makeTraders(service.settings.DATABASE_URL ?? '', service.miner, TRADERS_PER_PARTNER),
    ),
  );
  let [received, placed, rejected] = [0, 0, 0];
  const streams = partners.flatMap(({ key }) =>
    Array.from({ length: STREAMS_PER_PARTNER }, () => openStream(`${url}/v1/stream`, key, () => (received += 1))),
  );
  const line = openLine(url, 200);
  const place = async (n: number) => {
    const { key, ids } = partners[n % PARTNERS] ?? { key: '', ids: [] };
    const trader = ids[Math.floor(n / PARTNERS) % TRADERS_PER_PARTNER];
    const { status, text } = await line.ask({
      ...{ method: 'POST', path: '/v1/orders/netvenue' },
      headers: { Authorization: `Bearer ${key}`, 'Trader-ID': String(trader) },
      body: JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 }),
    });
    if (status === 503)
      rejected += 1; // a machine that is too busy
    else if (status !== 200 && status !== 202) throw new Error(`${status} ${text}`);
    else placed += 1;
  };
  const notify = async () => {
    const { status, text } = await line.ask({
      ...{
        method: 'POST',
        path: '/v2/notifications/send',
        headers: { Authorization: `Bearer ${service.tenant.token}` },
      },
      body: JSON.stringify({
        ...{ email: service.buyer.email, subject: 'News', html: '<p>News</p>' },
        ...{ fanout_event: 'news', payload: { text: 'News' } },
      }),
    });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
  return {
    counts: () => ({ received, placed, rejected }),
    async run(seconds: number): Promise<void> {
      const calls = [...evenly(ORDERS_PER_S, seconds, place), ...evenly(NOTIFICATIONS_PER_S, seconds, notify)];
      await Promise.all(calls);
    },
    close(): void {
      for (const stream of streams) stream.destroy();
      line.close();
      void receiver.close();
    },
  };
}

/** Calls at a fixed rate, whether or not earlier ones have ended. */
const evenly = (perS: number, seconds: number, call: (n: number) => Promise<void>): Promise<void>[] =>
  Array.from({ length: perS * seconds }, async (_, n) => {
    await sleep((n * 1_000) / perS);
    await call(n);
  });

/** Reads a stream and keeps none of it. */
function openStream(url: string, key: string, onEvent: () => void) {
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${key}` };
  return get(url, { agent: false, headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`A stream responded with ${response.statusCode}`);
    response.on('error', () => {}); // the end of the run
    response.on('data', (chunk: Buffer) => {
      if (chunk.includes('event:')) onEvent();
    });
  }).on('error', () => {});
}
