import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

/*
 * The reference of P1: one route without any of our code that does durably what an acceptance must do, a transaction per
 * request with an insert and a job. Listens on PORT, works on DATABASE_URL.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('create table if not exists bare (id uuid primary key, asked jsonb not null)');

const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok' };
    return;
  }
  const id = crypto.randomUUID();
  await accept(id, ctx.request.body);
  ctx.status = 202;
  ctx.body = { id, status: 'pending' };
});
app.listen(Number(process.env.PORT), '127.0.0.1');

async function accept(id: string, asked: unknown): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into bare (id, asked) values ($1, $2)', [id, JSON.stringify(asked)]);
    await client.query(`select graphile_worker.add_job('bench/bare', json_build_object('id', $1::text))`, [id]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
