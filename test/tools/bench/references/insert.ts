import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('create table if not exists bare (id uuid primary key, asked jsonb not null)');

/**
 * The minimum that a route does to accept something durably, without any code of the service: a transaction per request
 * with an insert and a job.
 */
export async function acceptBare(request: unknown): Promise<string> {
  const id = crypto.randomUUID();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into bare (id, asked) values ($1, $2)', [id, JSON.stringify(request)]);
    await client.query(`select graphile_worker.add_job('bench/bare', json_build_object('id', $1::text))`, [id]);
    await client.query('commit');
    return id;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
