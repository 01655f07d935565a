import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { ErrorCode } from '../../src/kernel/error-codes.ts';
import { type Data, type Identity, startIdentity, type TestAdmin } from './identity.ts';
import { type DbSession, handOf, type Item, item, type Row } from './intent-database.ts';
import { expectProblem } from './problem.ts';

export type Assessment = {
  verdict: string;
  is_safe: boolean;
  was_sent: boolean;
  venue_says: string | null;
  would_do: string;
  reason: string;
};
type Result = Assessment & { done: boolean };

/** The actions and reads of an operator, on the intent tables without a worker. */
export type Operator = {
  assess(id: string): Promise<Assessment | undefined>;
  rerun(id: string): Promise<Result | undefined>;
  /** The recorded operator actions on a subject, oldest first. */
  actions(
    subject: string,
  ): Promise<{ who: string; action: string; why: string | null; detail: Record<string, unknown> }[]>;
};

/** The operator functions over a database connection. */
export const operatorOf = ({ query }: Pick<DbSession, 'query'>): Operator => ({
  assess: async (id) => (await query<Assessment>('select * from ops.safe_to_rerun($1)', [id]))[0],
  rerun: async (id) => (await query<Result>(`select * from ops.rerun($1, 'ada', 'it hangs')`, [id]))[0],
  actions: (subject) =>
    query('select a.who, a.action, a.why, a.detail from ops.actions a where a.subject = $1 order by a.at', [subject]),
});

/**
 * Accepts an intent and brings it to the given state; one that is `sent` holds a claim and may have reached its
 * upstream.
 */
export async function intentAt(
  intentDb: DbSession,
  place: 'queued' | 'running' | 'sent' | 'in_doubt' | 'succeeded' | 'failed' | 'expired',
  more: Partial<Item> = {},
): Promise<string> {
  const one = item(more);
  await intentDb.accept(one);
  if (place === 'queued') return one.id;
  const { fence } = (await intentDb.claim(one.id)) as Row; // as: it is queued and in time
  if (place === 'running') return one.id;
  if (place !== 'expired') await intentDb.beginSending(one.id, fence);
  if (place === 'in_doubt') await intentDb.markInDoubt(one.id, fence, 5);
  if (place === 'succeeded') await intentDb.settle(one.id, fence);
  if (place === 'failed' || place === 'expired') await fail(intentDb, one.id, fence, place);
  return one.id;
}

async function fail({ query }: Pick<DbSession, 'query'>, id: string, fence: number, ending: string): Promise<void> {
  const outcome = {
    problem: { code: ending === 'failed' ? 'VENUE_REJECTED' : 'DEADLINE_PASSED', reason: 'too_small' },
  };
  await query('select settle_intent($1, $2, $3, $4)', [id, fence, ending, JSON.stringify(outcome)]);
}

/** A recorded worker process: its last heartbeat, and the pool its jobs are locked by. It holds no advisory lock. */
export async function workerSeen({ query }: Pick<DbSession, 'query'>, secondsAgo: number): Promise<string> {
  const pool = `pool-${randomUUID()}`;
  await query(
    `insert into worker_processes (id, pool_ids, seen_at)
     values ($1, $2, now() - make_interval(secs => $3))`,
    [randomUUID(), [pool], secondsAgo],
  );
  return pool;
}

/** Lets a pool's worker lock every job of an intent, as it does when it executes one. */
export async function lockJobs(
  { query }: Pick<DbSession, 'query'>,
  intentId: string,
  pool: string,
  secondsAgo = 0,
): Promise<void> {
  await query(
    `update queue_jobs
     set locked_by = $2, locked_at = now() - make_interval(secs => $3), attempts = attempts + 1
     where payload ->> 'intent_id' = $1`,
    [intentId, pool, secondsAgo],
  );
}

/** Uses up the attempts of an intent's jobs. */
export async function exhaustJobs({ query }: Pick<DbSession, 'query'>, intentId: string): Promise<void> {
  await query(
    `update queue_jobs
     set attempts = max_attempts, last_error = 'a bug'
     where payload ->> 'intent_id' = $1`,
    [intentId],
  );
}

let accounts = 0;

/** The app and the tier that every failed account needs. */
export async function sellTier({ query }: Pick<DbSession, 'query'>): Promise<void> {
  await query(`insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}')`);
  await query(
    `insert into tiers (id, market, asset_class, account_size, amount_cents, currency)
     values ('tier_1', 'crypto', 'crypto', 25000, 19900, 'usd')`,
  );
}

/** An account that could not be created, paid by default, by a creation that ended with this code. */
export async function failedAccount(
  session: DbSession,
  { paid = true, code = 'VENUE_REJECTED' } = {},
): Promise<{ id: string; paymentId: string; intentId: string }> {
  accounts += 1;
  const [id, paymentId, userId] = [`prop_${accounts}`, `pay_${accounts}`, `usr_${accounts}`];
  const intentId = await intentAt(session, 'sent', { kind: 'accounts/provision', owner: 'app_1' });
  await session.query('select settle_intent($1, 1, $2, $3)', [intentId, 'failed', { problem: { code } }]);
  await session.query(`insert into users (id, app_id, email) values ($1, 'app_1', $2)`, [
    userId,
    `${userId}@example.com`,
  ]);
  if (paid)
    await session.query(
      `insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, status,
         paid_at)
       values ($1, 'app_1', $2, 'tier_1', 'crypto', 'crypto', 25000, 19900, 'usd', gen_random_uuid(), 'succeeded', now() - interval '1 hour')`,
      [paymentId, userId],
    );
  if (paid)
    await session.query(`select write_payment($1, 'succeeded', now(), 19900, 'usd', false, true, now())`, [paymentId]);
  await session.query(
    `insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, failure_reason, intent_id)
     values ($1, 'app_1', $2, 'tier_1', $3, 'crypto', 'crypto', 25000, 'subaccount_failed', 'said_no', $4)`,
    [id, userId, paid ? paymentId : null, intentId],
  );
  return { id, paymentId, intentId };
}

/** Returns the money of a payment, like an update from the processor. */
export async function returnMoney({ query }: Pick<DbSession, 'query'>, paymentId: string): Promise<void> {
  await lose({ query }, paymentId, { kind: 'refund', id: `re_${paymentId}`, cents: 19_900, status: 'succeeded' });
}

/** Applies what the processor reports of a refund or a dispute. */
export async function lose({ query }: Pick<DbSession, 'query'>, paymentId: string, loss: object): Promise<void> {
  await query('select note_loss($1, $2, extract(epoch from now()) * 1000)', [paymentId, { currency: 'usd', ...loss }]);
}

/** The service without a worker, an operator who calls it, and direct access to its database. */
export type OperatorConsole = {
  service: Identity;
  admin: TestAdmin;
  session: DbSession;
  get(path: string): Promise<Data>;
  /** Posts with a reason by default. */
  post(path: string, options?: Parameters<TestAdmin['ask']>[2]): Promise<Data>;
  /** The recorded actions on a subject, newest first, as shown to operators. */
  storedOf(subject: string): Promise<{ actor: string; action: string; detail: Record<string, unknown> }[]>;
  stop(): Promise<void>;
};

/** Starts a desk with a tier on sale. */
export async function openOperatorConsole(): Promise<OperatorConsole> {
  const service = await startIdentity({}, false);
  const admin = await service.admin();
  const client = new Client({ connectionString: String(service.settings.DATABASE_URL) });
  await client.connect();
  const session = handOf(client);
  await sellTier(session);
  const get: OperatorConsole['get'] = (path) => admin.ask('GET', path);
  return {
    service,
    admin,
    session,
    get,
    post: (path, options = { json: { reason: 'it hangs' } }) => admin.ask('POST', path, options),
    storedOf: async (subject) => (await get(`/v2/admin/audit?subject=${subject}`)).body,
    async stop() {
      await client.end();
      await service.stop();
    },
  };
}

/** Expects an error response with this code. */
export const expectApiError = ({ status, headers, body }: Data, code: ErrorCode): void =>
  expectProblem({ status, body, headers: Object.fromEntries(headers) }, code);
