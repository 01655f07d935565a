import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';

/*
 * A reference of P1: fastify and pg with a group commit. While one statement commits, the requests that arrive meanwhile
 * collect for the next. No code of the service. Listens on PORT, works on DATABASE_URL.
 */
const MOST = 100; // requests per commit

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
await pool.query('create table if not exists grouped (id uuid primary key, asked jsonb not null)');

const ACCEPT = {
  name: 'accept',
  text: `
    with asked as (
      select *
      from jsonb_to_recordset($1::jsonb) as a (id uuid, asked jsonb)
    ), written as (
      insert into grouped (id, asked) select id, asked from asked
    )
    select count(*)
    from graphile_worker.add_jobs((
      select array_agg(json_populate_record(null::graphile_worker.job_spec, json_build_object(
        'identifier', 'bench/grouped', 'payload', json_build_object('id', a.id))))
      from asked a
    ))`,
};

type Waiting = { id: string; asked: unknown; done: PromiseWithResolvers<void> };
const waiting: Waiting[] = [];
let isBusy = false;

function accept(asked: unknown): Promise<string> {
  const id = randomUUID();
  const done = Promise.withResolvers<void>();
  waiting.push({ id, asked, done });
  if (!isBusy) void commitAll();
  return done.promise.then(() => id);
}

async function commitAll(): Promise<void> {
  isBusy = true;
  while (waiting.length > 0) {
    const group = waiting.splice(0, MOST);
    const values = [JSON.stringify(group.map(({ id, asked }) => ({ id, asked })))];
    await pool.query({ ...ACCEPT, values }).then(
      () => group.forEach(({ done }) => void done.resolve()),
      (error) => group.forEach(({ done }) => void done.reject(error)),
    );
  }
  isBusy = false;
}

const app = fastify();
app.get('/healthz', () => ({ status: 'ok' }));
app.post('/orders', async (request, reply) =>
  reply.status(202).send({ id: await accept(request.body), status: 'pending' }),
);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
