import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseIsAway, rejectsCredentials } from './conflicts.ts';

const RETRY_MS = 1_000;
const RESPONSE_WITHIN_MS = 5_000;

/**
 * Resolves once a database accepts a connection. It waits while there is none, or one that starts, stops or has no connection
 * free; `onWait` is called with each failed attempt. Throws what waiting does not mend, such as a wrong password.
 */
export async function untilAvailable(url: string, onWait: (error: Error) => void): Promise<void> {
  for (;;) {
    const error = await attempt(url);
    if (!error) return;
    if (!databaseIsAway(error) || rejectsCredentials(error)) throw error;
    onWait(error);
    await sleep(RETRY_MS);
  }
}

async function attempt(url: string): Promise<Error | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: RESPONSE_WITHIN_MS });
  client.on('error', () => {}); // reported by the statement that fails
  try {
    await client.connect();
    await client.end();
    return null;
  } catch (error) {
    client.end().catch(() => {}); // it may never have been open
    return error instanceof Error ? error : new Error(String(error));
  }
}
