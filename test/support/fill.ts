import pg from 'pg';

const CHUNK = 50_000; // rows per statement: each is one commit
const PAIRS = ['BTCUSDC', 'ETHUSDC', 'SOLUSDC'];
const DAYS = 60; // age of the past: within what retention keeps
const SHARES = { events: 0.1, keys: 0.2 }; // of intents: how many emitted an event, how many had a key

/** The amount of past data of a database. */
export type Past = { intents: number; traders: number };

/** The owner of the past data; nobody calls with these credentials. */
export const FILLED = { owner: 'ptn_filled', app: 'app_filled', endpoint: 'whe_filled', entity: 'filled_entity' };

/**
 * Fills a migrated database with past data: traders of a partner, their settled intents (placements with their orders,
 * every tenth a cancellation; every twentieth failed), a lane per trader and pair, and events with ended deliveries.
 * Leaves the tables vacuumed and analysed, like a database that grew to that size.
 */
export async function fill(url: string, { intents, traders }: Past): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await makeOwners(client, traders);
    await inChunks(intents, (from, to) => client.query(INTENTS, [from, to, traders, DAYS * 86_400, intents]));
    await inChunks(intents * SHARES.events, (from, to) => client.query(EVENTS, [from, to, DAYS * 86_400]));
    await inChunks(intents * SHARES.keys, (from, to) => client.query(KEYS, [from, to]));
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function inChunks(count: number, write: (from: number, to: number) => Promise<unknown>): Promise<void> {
  const last = Math.round(count);
  for (let from = 1; from <= last; from += CHUNK) await write(from, Math.min(last, from + CHUNK - 1));
}

async function makeOwners(client: pg.Client, traders: number): Promise<void> {
  const { owner, app, endpoint, entity } = FILLED;
  await client.query(`insert into partners (id, name) values ($1, 'Filled')`, [owner]);
  await client.query(`insert into apps (id, slug, name, allowed_scopes) values ($1, 'filled', 'Filled', '{api}')`, [
    app,
  ]);
  await client.query(
    `insert into webhook_endpoints (id, owner, url, events) values ($1, $2, 'https://example.com/hook', '{*}')`,
    [endpoint, app],
  );
  await client.query(
    `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
     select $1 || '_' || n, $1, n, $2, gen_random_uuid(), 'crypto', 10000, 'active'
     from generate_series(1, $3::integer) n`,
    [entity, owner, traders],
  );
  await client.query(
    `insert into lanes (name)
     select 'netvenue:' || $1 || '_' || n || ':' || pair
     from generate_series(1, $2::integer) n
     cross join unnest($3::text[]) pair`,
    [entity, traders, PAIRS],
  );
  await client.query(`insert into event_logs (owner, last_position) values ($1, 0)`, [app]);
}

/**
 * Ids in the format of the service: the time is in the first 48 bits. They derive from a row's number, so that other
 * rows can reference them.
 */
const INTENTS = `
  with numbered as (
    select n, '${FILLED.entity}_' || (n % $3::integer + 1) as trader, n % $3::integer + 1 as subaccount,
      (array['${PAIRS.join("', '")}'])[n % ${PAIRS.length} + 1] as pair,
      now() - make_interval(secs => $4::double precision * (1 - n / $5::double precision)) - interval '1 hour' as at,
      n % 10 = 9 as is_cancel, n % 20 = 7 as has_failed
    from generate_series($1::integer, $2::integer) n
  ), named as (
    select *, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
      || substr(md5(n::text), 4, 15))::uuid as id,
      jsonb_build_object('trade_pair', pair, 'order_type', 'LONG', 'execution_type', 'MARKET', 'leverage', 0.01) as terms
    from numbered
  ), made as (
    insert into intents (id, kind, owner, lane, state, request, sent_payload, outcome, digest, request_id, fence, attempts,
      created_at, deadline_at, sending_at, settled_at)
    select id, case when is_cancel then 'network/cancel' else 'network/place' end, '${FILLED.owner}',
      'netvenue:' || trader || ':' || pair, case when has_failed then 'failed' else 'succeeded' end,
      jsonb_build_object('terms', terms, 'trader', trader, 'subaccount_id', subaccount),
      jsonb_build_object('signal', terms || jsonb_build_object('order_uuid', id, 'subaccount_id', subaccount)),
      case when has_failed then '{"problem": {"code": "VENUE_REJECTED", "reason": "insufficient_margin"}}'::jsonb
        else jsonb_build_object('result', jsonb_build_object('success', true, 'order_uuid', id)) end,
      sha256(id::text::bytea), 'req_' || n, 1, 1, at, at + interval '15 seconds', at, at + interval '20 milliseconds'
    from named
  )
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed, created_at)
  select id, 'netvenue', '${FILLED.owner}', trader, pair, id::text, terms, case when has_failed then null else 'filled' end,
    case when has_failed then null else '{"price": "64000", "quantity": "0.0015"}'::jsonb end, at
  from named
  where not is_cancel`;

/** Events of the past, each delivered at the first attempt. */
const EVENTS = `
  with numbered as (
    select n, now() - make_interval(secs => $3::double precision * random()) as at
    from generate_series($1::integer, $2::integer) n
  ), named as (
    select n, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0') as id
    from numbered
  ), emitted as (
    insert into events (id, owner, type, position, data, created_at)
    select 'evt_' || id, '${FILLED.app}', 'payment.succeeded', n, '{"id": "evt_' || id || '", "type": "payment.succeeded", "data": {}}', at
    from named
  ), delivered as (
    insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, due_at, attempts, retry_step, response_status,
      created_at, taken_at, ended_at)
    select 'whd_' || id, '${FILLED.app}', '${FILLED.endpoint}', 'evt_' || id, 'delivered', at, 1, 1, 200, at, at, at
    from named
  ), moved as (
    update event_logs set last_position = $2::integer where owner = '${FILLED.app}'
  )
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, response_status)
  select 'whd_' || id, 1, at, 12, 200
  from named`;

/** Keys of the last week. */
const KEYS = `
  insert into idempotency_keys (owner, key, digest, intent_id, created_at)
  select '${FILLED.owner}', 'key-' || n, sha256(n::text::bytea), gen_random_uuid(),
    now() - make_interval(secs => 6 * 86400 * random())
  from generate_series($1::integer, $2::integer) n`;
