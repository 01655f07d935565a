import type { Running } from '../../support/processes.ts';
import { writingTo } from '../../support/webhooks.ts';
import { manyEndpoints, quantile } from '../../webhooks/load.ts';
import { type Arena, openArena } from './arena.ts';
import { atMost, type Extent, type Figures, ratioOf, reported, within } from './figures.ts';
import { openLine } from './line.ts';
import { timed } from './p1.ts';

const ENDPOINTS = 100;
const PROCESSING_MS = 50; // the venue's own work on an order
const MARK = 1.2;
const NOTICED_MS = 60; // the maximum effect on an order, on any machine

type Size = { queued: number; orders: number };
const FULL: Size = { queued: 100_000, orders: 40 };
const SMALL: Size = { queued: 5_000, orders: 8 };
const BLOCKS = 5;

/** P6: the effect on an order of many webhook deliveries queued and in flight in the same worker. */
export async function measureP6({ small }: Extent): Promise<Figures> {
  const { queued, orders } = small ? SMALL : FULL;
  const arena = await openArena({ processingMs: PROCESSING_MS });
  try {
    const place = await startOrders(arena);
    await take(place, orders); // warm-up
    const idle = await inBlocks(place, orders);
    await queue(arena, queued);
    const before = await delivered(arena);
    const startedAt = performance.now();
    const beside = await inBlocks(place, orders);
    const perS = ((await delivered(arena)) - before) / ((performance.now() - startedAt) / 1_000);
    return figures({ idle, beside, perS, left: queued - (await delivered(arena)) });
  } finally {
    await arena.close();
  }
}

async function startOrders(arena: Arena): Promise<() => Promise<void>> {
  const { key, ids } = await arena.traders(1);
  const line = openLine(await arena.serve(), 1);
  const worker = arena.startWorker({ LOG_LEVEL: 'info' });
  await worker.waitForLine(/worker is running/);
  const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': String(ids[0]) };
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return async () => {
    const { status, text } = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
}

/** Orders in blocks. Those beside the queue come after all idle ones, since a queue cannot be taken back. */
async function inBlocks(place: () => Promise<void>, orders: number): Promise<number[][]> {
  const blocks: number[][] = [];
  for (let n = 0; n < BLOCKS; n++) blocks.push(await take(place, orders));
  return blocks;
}

async function take(place: () => Promise<void>, orders: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < orders; n++) took.push(await timed(place));
  return took;
}

/** Fills the queue while no lane may start, then starts all lanes. */
async function queue(arena: Arena, queued: number): Promise<void> {
  const receiver: Running = arena.run('test/tools/bench/webhook-receiver.ts');
  const { url } = JSON.parse(await receiver.waitForLine(/url/)) as { url: string };
  const reported = await manyEndpoints(writingTo(arena.query, arena.settings), url, ENDPOINTS);
  await arena.query(`update webhook_endpoints set lanes = 15`);
  await arena.query(
    `select count(emit_event(app, 'bench', jsonb_build_object('n', n)))
     from unnest($1::text[]) app, generate_series(1, $2::integer) n`,
    [reported.map(({ app }) => app), queued / ENDPOINTS],
  );
  await arena.query('checkpoint'); // pending writes from filling the queue are not part of the measurement
  await arena.query(`update webhook_endpoints set lanes = 0`);
  await arena.query(`select dispatch_due_deliveries(id) from webhook_endpoints`);
}

async function delivered({ query }: Arena): Promise<number> {
  const [row] = await query<{ count: string }>(`select count(*) from webhook_deliveries where state = 'delivered'`);
  return Number(row?.count);
}

type Found = { idle: number[][]; beside: number[][]; perS: number; left: number };

function figures({ idle, beside, perS, left }: Found): Figures {
  const held = (share: number) => ({
    unit: 'ms',
    ...ratioOf(beside.map((block, n) => [quantile(block, share), quantile(idle[n] ?? [], share)] as const)),
  });
  const p50 = held(0.5);
  return {
    name: 'P6',
    title: `an order beside webhook deliveries queued, and idle; ${left} were left at the end`,
    rows: [
      atMost(MARK, { what: 'order, p50', ...p50 }),
      within(NOTICED_MS, {
        what: 'added to an order, p50',
        unit: 'ms',
        figure: p50.figure - p50.reference,
      }),
      reported({ what: 'order, p95', ...held(0.95) }),
      reported({ what: 'delivered meanwhile', unit: '/s', figure: perS }),
    ],
  };
}
