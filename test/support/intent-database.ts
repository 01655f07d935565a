import { Client } from 'pg';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type DatabaseOptions, freshDatabase } from './postgres.ts';
import { until } from './processes.ts';

export type Item = { id: string; lane?: string } & Record<string, unknown>;
type Verdict = { n: number; intent_id: string; verdict: string };
export type Row = {
  id: string;
  kind: string;
  state: string;
  fence: number;
  attempts: number;
  reconcile_attempts: number;
} & {
  lane: string | null;
  outcome: { problem?: { code: string }; result?: object } | null;
  sent_payload: object | null;
  sending_at: Date | null;
  settled_at: Date | null;
};
type Job = { task: string; intent_id: string; in_ms: number };

/** One connection for the SQL functions of intents. */
export type DbSession = {
  accept(...items: Item[]): Promise<Verdict[]>;
  claim(id: string): Promise<Row | null>;
  beginSending(id: string, fence: number): Promise<boolean>;
  settle(id: string, fence: number, ending?: string): Promise<boolean>;
  retry(id: string, fence: number, delayS?: number): Promise<boolean>;
  markInDoubt(id: string, fence: number, delayS?: number): Promise<boolean>;
  query<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
};

/** Finds a row while a session of this database waits for a lock. */
export const WAITING = `select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`;

/** A separate database, with functions that call its SQL functions directly. No worker runs. */
export type IntentDatabase = DbSession & {
  url: string;
  /** One more connection. */
  session(): Promise<DbSession>;
  /** What two statements return of which the second one begins after the first one, and before that is committed. */
  beside<T extends object>(first: string, second: string): Promise<{ first: object[]; second: T[] }>;
  row(id: string): Promise<Row>;
  /** Queued jobs in the order they were queued. */
  jobs(): Promise<Job[]>;
  /** Removes an intent's jobs from the queue, as a worker that has done them does. */
  finishJobs(id: string): Promise<void>;
  headOf(lane: string): Promise<string | null>;
  close(): Promise<void>;
};

/** An intent to accept; by default a placement of some partner without a lane, valid for a minute. */
export const item = (more: Partial<Item> & Record<string, unknown> = {}): Item => ({
  id: newIntentId(),
  kind: 'network/place',
  owner: 'ptn_a',
  request: {},
  digest: '00',
  deadline_s: 60,
  ...more,
});

/** Accepts intents one after the other over one connection. */
export async function acceptInTurn(session: DbSession, items: Item[]): Promise<void> {
  for (const one of items) await session.accept(one);
}

const JOBS = `
  select j.task, j.payload ->> 'intent_id' as intent_id, extract(epoch from j.run_at - now())::double precision * 1000 as in_ms
  from queue_jobs j
  order by j.id`;

/** Opens a new, migrated database for direct calls. */
export async function openIntentDatabase(options?: DatabaseOptions): Promise<IntentDatabase> {
  const database = await freshDatabase(options);
  const clients: Client[] = [];
  const session = async () => {
    const client = new Client({ ...database.connection, ssl: false });
    client.on('error', () => {}); // tests cut connections off on purpose
    await client.connect();
    clients.push(client);
    return handOf(client);
  };
  const first = await session();
  return {
    ...first,
    url: database.url,
    session,
    async beside<T extends object>(begun: string, call: string) {
      const [one, other] = [await session(), await session()];
      await one.query('begin');
      const result = await one.query(begun);
      const called = other.query<T>(call);
      called.catch(() => {}); // read below
      await Promise.race([called, until('it waits', async () => (await first.query(WAITING)).length > 0)]);
      await one.query('commit');
      return { first: result, second: await called };
    },
    row: async (id) => (await first.query<Row>('select * from intents where id = $1', [id]))[0] as Row,
    jobs: () => first.query<Job>(JOBS),
    async finishJobs(id) {
      await first.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [id]);
    },
    async headOf(lane) {
      const [row] = await first.query<{ head: string | null }>('select head from lanes where name = $1', [lane]);
      return row?.head ?? null;
    },
    async close() {
      await Promise.all(clients.map((client) => client.end().catch(() => {})));
      await database.drop();
    },
  };
}

/** As `claim` does. */
const CLAIM = `
  with claimed as materialized (
    select i.* from claim_intent($1) i
  ), emitted as materialized (
    select emit_ended(array_agg(c.id) filter (where c.state = 'expired'), '{}')::text from claimed c
  )
  select c.* from claimed c cross join emitted where c.state <> 'expired'`;

/** As `succeed` ends an intent. */
export const SETTLE = `
  with settled as materialized (
    select settle_intent($1, $2, $3, $4, $5) as ok
  ), emitted as materialized (
    select emit_ended(case when s.ok then array[$1::uuid] end, '{}')::text from settled s
  )
  select s.ok from settled s cross join emitted`;

/** The functions over a connection that the caller opens and ends. */
export function handOf(client: Client): DbSession {
  const query: DbSession['query'] = async (text, values) => (await client.query(text, values)).rows;
  const ask = async (text: string, values: unknown[]) => (await query<{ ok: boolean }>(text, values))[0]?.ok === true;
  return {
    query,
    accept: (...items) =>
      query('select * from accept_intents($1) order by n', [JSON.stringify(items.map((one, n) => ({ ...one, n })))]),
    claim: async (id) => (await query<Row>(CLAIM, [id]))[0] ?? null,
    beginSending: (id, fence) => ask('select begin_sending($1, $2, $3) ok', [id, fence, '{"what":1}']),
    settle: (id, fence, ending = 'succeeded') => ask(SETTLE, [id, fence, ending, '{"result":{}}', null]),
    retry: (id, fence, delayS = 0) =>
      ask('select retry_intent($1, $2, $3, $4) ok', [id, fence, delayS, '{"problem":{"code":"VENUE_UNREACHABLE"}}']),
    markInDoubt: (id, fence, delayS = 0) => ask('select mark_in_doubt($1, $2, $3) ok', [id, fence, delayS]),
  };
}
