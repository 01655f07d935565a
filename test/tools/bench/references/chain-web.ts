import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { createChainTables, ENDED, KEEPS_ALL } from './chain-tables.ts';

/*
 * The bare chain, its HTTP half: what the least system that keeps an order does with it. One commit writes the order and
 * its job; the request waits for the notification of its end. Listens on PORT, works on DATABASE_URL. With CHAIN=honest that commit
 * also writes an idempotency key and the order's place in its lane.
 */
const connectionString = String(process.env.DATABASE_URL);
const pool = new pg.Pool({ connectionString, max: 10 });
await createChainTables(pool);

const waiting = new Map<string, () => void>();
const listener = new pg.Client({ connectionString });
await listener.connect();
listener.on('notification', ({ payload = '' }) => waiting.get(payload)?.());
await listener.query(`listen ${ENDED}`);

const ACCEPT = {
  name: 'accept',
  text: `
    with asked as (
      insert into chain_orders (id, asked) values ($1, $2)
    )
    select graphile_worker.add_job('bench/chain', json_build_object('id', $1::text))`,
};

/** The order has a job if it is the head of its lane, else its predecessor gives it one. */
const ACCEPT_HONESTLY = {
  name: 'accept_honestly',
  text: `
    with keyed as (
      insert into honest_keys (key, order_id) values ($4, $1) on conflict do nothing returning key
    ), placed as (
      insert into honest_orders (id, lane, asked) select $1, $3, $2 from keyed
    ), lane as (
      insert into honest_lanes as l (name, head) values ($3, $1)
      on conflict (name) do update set head = coalesce(l.head, excluded.head)
      returning head
    )
    select graphile_worker.add_job('bench/chain', json_build_object('id', $1::text))
    from lane
    where head = $1`,
};

type OrderBody = { subaccount_id: number; trade_pair: string };
const laneOf = ({ subaccount_id, trade_pair }: OrderBody) => `${subaccount_id}:${trade_pair}`;

const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok' };
    return;
  }
  const id = randomUUID();
  const ended = new Promise<void>((resolve) => waiting.set(id, resolve));
  const asked = JSON.stringify(ctx.request.body);
  await pool.query(
    KEEPS_ALL
      ? { ...ACCEPT_HONESTLY, values: [id, asked, laneOf(ctx.request.body as OrderBody), randomUUID()] } // as: the bench asks for whole orders
      : { ...ACCEPT, values: [id, asked] },
  );
  await ended;
  waiting.delete(id);
  ctx.body = { id, status: 'completed' };
});
app.listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 65_000; // as the service's: it is idle between rounds
