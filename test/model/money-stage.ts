import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { processor as openProcessor } from '../../src/adapters/processor/index.ts';
import type { Processor } from '../../src/adapters/processor/types.ts';
import { readConfig } from '../../src/config.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { freshDatabase } from '../support/postgres.ts';
import { PROCESSOR } from '../support/processor-keys.ts';
import { testSettings } from '../support/service.ts';

export const PRICE = 19_900;
/** What the trader has earned, in cents. */
export const EARNED = 50_000;
const nothing = z.object({});

const NOWHERE = 'http://127.0.0.1:9';
/** The settings of the verbs about money. */
export const config = readConfig(
  testSettings(
    'postgres://127.0.0.1:9/none',
    { minerUrl: NOWHERE, validatorUrl: NOWHERE },
    {
      NETVENUE_PATIENCE_MS: '20000',
      NETVENUE_IN_FLIGHT_MS: '0',
      NETVENUE_ENTITY_HOTKEY: 'entity',
      NETVENUE_MINER_THREADS: '1000',
      ACCOUNT_DEADLINE_MS: '600000',
      VENUE_READ_MS: '1000',
    },
  ),
);

/** One database and one processor, which many runs share. */
export type Stage = {
  db: Db;
  upstream: ProcessorUpstream;
  adapter: Processor;
  /** Of the platform. */
  country: string;
  close(): Promise<void>;
};

/** `putBack`: a statement that puts a defect back. */
export async function openStage({ country = 'US', putBack = '' } = {}): Promise<Stage> {
  const database = await freshDatabase();
  const db = await openPool(database.url, 12, () => {});
  const upstream = await startProcessorUpstream(PROCESSOR);
  await db.query(sql.type(nothing)`
    insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_m', 'crypto', 'crypto', 1000, ${PRICE})`);
  const owner = new Client({ ...database.connection, ssl: false });
  await owner.connect();
  await owner.query(putBack);
  await owner.end();
  await fetch(`${upstream.controlUrl}/settings`, { method: 'POST', body: JSON.stringify({ country }) });
  return {
    db,
    upstream,
    country,
    adapter: openProcessor({ url: upstream.url, ...PROCESSOR }),
    async close() {
      await upstream.close();
      await db.end();
      await database.drop();
    },
  };
}

/** An app, its user, who is verified and can be paid, and the user's payment, which is not paid yet. */
export const insertBuyer = (
  db: Db,
  of: Record<'app' | 'user' | 'payment' | 'intent' | 'connected' | 'currency', string> & { isAbroad: boolean },
) => {
  const { app, user, payment, intent, connected, currency, isAbroad } = of;
  return db.query(sql.type(nothing)`
    with app as (
      insert into apps (id, slug, name, allowed_scopes) values (${app}, ${app}, 'App', '{api}')
    ), person as (
      insert into users (id, app_id, email, password_hash, verified_at)
      values (${user}, ${app}, 'a@example.com', 'x', now())
    ), logged_in as (
      insert into user_sessions (id, digest, user_id, expires_at)
      values ('uss_' || ${user}, convert_to(${user}, 'UTF8'), ${user}, now() + interval '30 days')
    ), bought as (
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id,
        processor_payment_intent_id, status)
      values (${payment}, ${app}, ${user}, 'tier_m', 'crypto', 'crypto', 1000, ${PRICE}, ${currency}, gen_random_uuid(),
        ${intent}, 'requires_payment_method')
    ), verified as (
      insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
      values (${user}, ${app}, 'x', ${user}, 'verified', now())
    )
    insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted, is_abroad)
    values (${connected}, ${app}, ${user}, ${connected}, true, true, true, ${isAbroad})`);
};

const accountRow = z.object({ id: z.string(), status: z.string(), accounts: z.number() });

/** The account of a payment, and how many the payment has. */
export const findAccount = ({ db }: Stage, payment: string) =>
  db.maybeOne(sql.type(accountRow)`
    select a.id, a.status, (select count(*) from prop_accounts o where o.payment_id = a.payment_id)::integer as accounts
    from prop_accounts a
    where a.payment_id = ${payment}`);
