import pg from 'pg';

const WITHIN_MS = 5_000;

/** Whether two addresses lead to one database of one server, directly or through a pooler. */
export async function isSameDatabase(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([identityOf(one), identityOf(other)]);
  return first === second;
}

/** Identifies a server and its database. The start time distinguishes a copy of a server, which has the same name and identifier. */
async function identityOf(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: WITHIN_MS, query_timeout: WITHIN_MS });
  client.on('error', () => {}); // reported by the statement that fails
  await client.connect();
  try {
    const { rows } = await client.query<{ identity: string }>(
      `select extract(epoch from pg_postmaster_start_time()) || ' ' || current_database() as identity`,
    );
    return rows[0]?.identity;
  } finally {
    await client.end();
  }
}
