import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { createChainTables, ENDED } from './chain-tables.ts';

/*
 * The bare chain, its HTTP half: what the least system that keeps an order does with it. One commit writes the order and
 * its job; the request waits for the notification of its end. Listens on PORT, works on DATABASE_URL.
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

const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok' };
    return;
  }
  const id = randomUUID();
  const ended = new Promise<void>((resolve) => waiting.set(id, resolve));
  await pool.query({ ...ACCEPT, values: [id, JSON.stringify(ctx.request.body)] });
  await ended;
  waiting.delete(id);
  ctx.body = { id, status: 'completed' };
});
app.listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 65_000; // as the service's: it is idle between rounds
