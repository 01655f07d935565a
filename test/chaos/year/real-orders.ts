import type { Caller } from '../../support/caller.ts';
import { market } from '../../support/orders.ts';
import { until } from '../../support/processes.ts';
import type { Receiver } from '../../support/receivers.ts';
import { allSettled, type Site } from '../stage.ts';
import { GROWING } from './fill.ts';

const AT_ONCE = 20;
const DONE_WITHIN_MS = 300_000;

/** Bytes on disk of each table that an order has rows in, with its indexes, for one intent. */
export type Bytes = Record<string, number>;

/**
 * Trades for real: market orders, one of ten closed, half of all writes under an Idempotency-Key, every event delivered to an
 * endpoint. Returns what an intent takes on the disk.
 */
export async function tradeForReal(site: Site, receiver: Receiver, orders: number): Promise<Bytes> {
  const traders = await site.traders(AT_ONCE);
  const [partner] = traders as [Caller];
  const made = await partner.post('/v1/webhook-endpoints', { url: receiver.url, events: ['*'] });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  await Promise.all(traders.map((trader, n) => tradeAs(trader, n, Math.ceil(orders / AT_ONCE))));
  await allSettled(site, DONE_WITHIN_MS);
  await until(
    'every delivery',
    async () => {
      const open = await site.rows(`select from webhook_deliveries where ended_at is null limit 1`);
      return open.length === 0 || null;
    },
    DONE_WITHIN_MS,
  );
  for (const table of GROWING) await site.rows(`vacuum analyze ${table}`);
  return bytesOf(site);
}

async function tradeAs(trader: Caller, nth: number, orders: number): Promise<void> {
  for (let n = 0; n < orders; n++) {
    const key = n % 2 === 0 ? { key: `${nth}-${n}` } : {};
    const isClose = n % 10 === 9;
    const reply = isClose
      ? await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' }, key)
      : await trader.post('/v1/orders/netvenue', market({ leverage: 0.001 }), key);
    if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  }
}

async function bytesOf({ rows }: Site): Promise<Bytes> {
  const sizes = await rows<{ name: string; bytes: number }>(
    `select t as name, (pg_total_relation_size(t::regclass) / greatest(1, (select count(*) from intents)))::integer as bytes
     from unnest($1::text[]) t`,
    [GROWING],
  );
  return Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes]));
}
