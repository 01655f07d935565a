import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { listOperations, type Operation } from '../../../src/contract/document.ts';
import type { FaultKind } from '../../../src/sandbox/faults.ts';
import { fresh } from '../identity.ts';
import { until } from '../processes.ts';
import { nodeAt } from '../samples.ts';
import type { Stage } from './stage.ts';
import type { People } from './walk.ts';

/** Sends secrets in wrong places: in the path, the query, headers and members of every operation, in turn. */
export async function misplaceSecrets(stage: Stage, people: People): Promise<void> {
  const secrets = stage.vault.secrets().map(({ secret }) => secret);
  const callers = [people.operator, people.partner, people.app, people.user, people.trader, stage.as()];
  let turn = 0;
  const next = () => secrets[turn++ % secrets.length] as string;
  for (const operation of listOperations().filter(({ streams }) => !streams)) {
    const members = membersOf(operation);
    const requests = callers.map((ask) => {
      const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(next()));
      const json = Object.fromEntries(members.map((name) => [name, next()]));
      const headers = { 'Trader-ID': next(), 'X-Prop-Account': next(), 'Last-Event-ID': next(), Prefer: 'wait=0' };
      const request = { headers, ...(operation.body && { json: turn % 2 === 0 ? json : [next()] }) };
      return ask(operation.method.toUpperCase(), `${path}?${new URLSearchParams({ private_key: next() })}`, request);
    });
    const bodies = callers.map((ask) =>
      ask(operation.method.toUpperCase(), operation.path.replace(/\{\w+\}/g, 'x'), {
        headers: { Prefer: 'wait=0' },
        ...(operation.body && { json: Object.fromEntries(members.map((name) => [name, [next()]])) }),
      }),
    );
    await Promise.all([...requests, ...bodies]);
  }
  await restoreCallers(stage);
}

/** Some of these requests end the sessions or tokens of the callers. */
async function restoreCallers({ db }: Stage): Promise<void> {
  await db.query(sql.unsafe`update admin_sessions set revoked_at = null`);
  await db.query(sql.unsafe`update user_sessions set revoked_at = null`);
  await db.query(sql.unsafe`update app_secrets set expires_at = null`);
}

/** The member names of an operation's body, as far as its schema lists them directly. */
function membersOf({ body }: Operation): string[] {
  if (!body) return [];
  const schema = nodeAt(body.pointer) as { $ref?: string; properties?: object };
  const named = (schema.$ref ? nodeAt(schema.$ref.slice(1)) : schema) as { properties?: object };
  return Object.keys(named.properties ?? {});
}

/**
 * Lets each upstream fail in each way (unreadable, rejecting, broken off, no response) while an operation that needs it
 * is called.
 */
export async function failUpstreams({ db, upstreams, vault }: Stage, people: People): Promise<void> {
  const kinds: FaultKind[] = ['status_500', 'reset', 'html_200', 'accept_then_drop', 'cut_json', 'reject', 'hang'];
  for (const kind of kinds) {
    const { miner, exchange, processor, registrar } = upstreams;
    // the timeouts for these are short
    const targets = kind === 'hang' ? [miner, exchange] : [miner, exchange, processor, registrar];
    for (const { faults } of targets) faults.add({ kind, times: 4 });
    const key = vault.keep('trader key', generatePrivateKey()) as `0x${string}`;
    const payer = vault.keep('chain key', generatePrivateKey()) as `0x${string}`;
    const now = { Prefer: 'wait=0' };
    await Promise.all([
      people.partner('POST', '/v1/sessions', {
        json: { ex_wallet: privateKeyToAddress(key).toLowerCase(), private_key: key },
      }),
      people.partner('POST', '/v1/register/exvenue', {
        headers: now,
        json: {
          miner_slug: registrar.minerSlug,
          account_size: 25_000,
          ex_wallet: privateKeyToAddress(payer).toLowerCase(),
          email: 'trader@example.com',
          private_key: payer,
        },
      }),
      people.trader('POST', '/v2/trading/orders', {
        headers: now,
        json: { trade_pair: 'ETHUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 },
      }),
      people.trader('GET', '/v2/trading/balance'),
      people.user('POST', '/v2/payments/checkout', {
        headers: now,
        json: {
          tier_id: 'tier_25k',
          market: 'crypto',
          asset_class: 'crypto',
          account_size: 25_000,
          amount_cents: 19_900,
        },
      }),
      people.user('POST', '/v2/kyc/processor-identity/session', { headers: now }),
      people.user('POST', '/v2/connect/accounts', { headers: now, json: { country: 'US' } }),
      people.app('POST', '/v2/notifications/send', {
        json: { email: people.email, subject: 'Hello', html: '<p>Hello</p>', fanout_event: 'payment.failed' },
      }),
      ...['bounce', 'greylist'].map((behaviour) =>
        people.app('POST', '/v2/auth/signup', {
          json: { email: `${fresh(behaviour)}@example.com`, password: vault.make('user password') },
        }),
      ),
    ]);
    await until('each to have been tried', async () => {
      const untried = sql.unsafe`select from intents where state = 'running' or (state = 'queued' and attempts = 0)`;
      return !(await db.exists(untried));
    });
    for (const { faults } of targets) faults.clear();
  }
}

/** Tables that receive secrets, and the operation that writes them: each of these writes fails meanwhile. */
const WRITES: [table: string, who: keyof People, method: string, path: string, json: (stage: Stage) => object][] = [
  ['throttles', 'app', 'POST', '/v2/auth/login', () => ({ email: 'a@example.com', password: 'none of any worth' })],
  ['signing_keys', 'partner', 'POST', '/v1/sessions', ({ vault }) => enrolling(vault.keep('trader key', generatePrivateKey()))],
  ['enrollments', 'partner', 'POST', '/v1/sessions', ({ vault }) => enrolling(vault.keep('trader key', generatePrivateKey()))],
  ['registration_keys', 'partner', 'POST', '/v1/register/exvenue', ({ vault }) => buying(vault.keep('chain key', generatePrivateKey()))],
  ['intents', 'partner', 'POST', '/v1/register/exvenue', ({ vault }) => buying(vault.keep('chain key', generatePrivateKey()))],
  ['partner_keys', 'operator', 'POST', '/v2/admin/partners', () => ({ name: 'Partner' })],
  ['idempotent_responses', 'operator', 'POST', '/v2/admin/partners', () => ({ name: 'Partner' })],
  ['apps', 'operator', 'POST', '/v2/admin/apps', ({ vault }) => tenant(vault.make("a tenant's miner key"))],
  ['app_secrets', 'operator', 'POST', '/v2/admin/apps', ({ vault }) => tenant(vault.make("a tenant's miner key"))],
  ['users', 'app', 'POST', '/v2/auth/signup', ({ vault }) => ({ email: 'b@example.com', password: vault.make('user password') })],
  ['mails', 'app', 'POST', '/v2/auth/signup', ({ vault }) => ({ email: 'c@example.com', password: vault.make('user password') })],
  ['webhook_secrets', 'app', 'POST', '/v2/webhook-endpoints', () => ({ url: 'https://hooks.example.com/x', events: ['*'] })],
  ['trader_keys', 'user', 'POST', '/v2/api-keys', () => ({ label: 'bot' })],
]; // biome-ignore format: a table

const enrolling = (private_key: string) => ({
  ex_wallet: privateKeyToAddress(private_key as `0x${string}`).toLowerCase(),
  private_key,
});
const buying = (private_key: string) => ({
  ...enrolling(private_key),
  miner_slug: 'vanta',
  account_size: 25_000,
  email: 'trader@example.com',
});
const tenant = (network_api_key: string) => ({
  name: 'Tenant',
  slug: fresh('tenant'),
  scopes: ['api'],
  entity_hotkey: fresh('entity'),
  network_api_key,
});

/**
 * Lets the database reject each of the writes by a constraint, with the whole row in the error; returns the statuses of
 * the responses.
 */
export async function failWrites(stage: Stage, people: People): Promise<number[]> {
  const data: number[] = [];
  for (const [table, who, method, path, json] of WRITES) {
    await stage.db.query(sql.unsafe`
      alter table ${sql.identifier([table])} add constraint never check (false) not valid`);
    const ask = people[who] as People['app'];
    const { status } = await ask(method, path, { json: json(stage), headers: { 'Idempotency-Key': fresh('key') } });
    data.push(status);
    await stage.db.query(sql.unsafe`alter table ${sql.identifier([table])} drop constraint never`);
  }
  return data;
}

/** Lets PostgreSQL raise an error that contains a secret, in its text and detail, for a request and for a task. */
export async function letDatabaseLeak({ db, vault, as }: Stage, { app, email }: People): Promise<void> {
  const reported = vault.make('reported by PostgreSQL');
  await db.query(sql.unsafe`
    create function report() returns trigger language plpgsql security definer as $$
    begin
      raise exception 'It is %', (select text from reports) using detail = (select text from reports);
    end $$`);
  await db.query(sql.unsafe`create table reports (text text)`);
  await db.query(sql.unsafe`insert into reports values (${reported})`);
  await db.query(sql.unsafe`create trigger report before update on mails for each row execute function report()`);
  await db.query(
    sql.unsafe`create trigger report before insert on app_requests for each row execute function report()`,
  );
  const before = await failedJobs(db);
  await app('POST', '/v2/auth/password-reset/request', { json: { email } });
  const json = { company_name: 'Example', slug: fresh('asked'), contact_email: email, use_case: 'Challenge accounts' };
  await as()('POST', '/v2/app-requests', { json });
  await until('a job to fail', async () => (await failedJobs(db)) > before);
  await db.query(sql.unsafe`drop function report() cascade`);
  await db.query(sql.unsafe`drop table reports`);
}

const failedJobs = (db: Stage['db']): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)
    from jobs_seen
    where job::jsonb ->> 'last_error' is not null`);

/** Makes sealed values fail to open, so that tasks throw, and cuts connections during requests. */
export async function breakSeals({ db, as }: Stage, people: People): Promise<void> {
  await db.query(sql.unsafe`update webhook_secrets set sealed = sealed || '\\x00'::bytea`);
  await db.query(sql.unsafe`update signing_keys set sealed = sealed || '\\x00'::bytea`);
  const busy = Array.from({ length: 30 }, (_, n) =>
    n % 2 === 0
      ? people.user('GET', '/v2/auth/sessions')
      : people.app('POST', '/v2/auth/login', { json: { email: people.email, password: 'none of any worth' } }),
  );
  await db.query(sql.unsafe`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  await Promise.all(busy);
  const failed = await failedJobs(db);
  await until(
    'the service is back',
    async () => (await as()('GET', '/.well-known/oauth-authorization-server')).status === 200,
  );
  await people.app('POST', '/v2/notifications/send', {
    json: { email: people.email, subject: 'Hello', html: '<p>Hello</p>', fanout_event: 'payment.failed' },
  });
  await until('a task to throw', async () => (await failedJobs(db)) > failed);
}
