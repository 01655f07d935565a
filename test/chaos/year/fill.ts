import type pg from 'pg';

const FIRST_DAYS = 10; // past the retention of keys and requests
const LAST_DAYS = 375;
const TRADERS = 2_000; // whose orders the copies are; every tenth copy is of the original traders
const DAY_MS = 86_400_000;
const CHUNK = 200; // copies per statement

type Own = Record<string, string>;

/** A time-ordered uuid that is `by` ms older. */
const olderUuid = (column: string): string =>
  `(lpad(to_hex(('x' || left(replace(${column}::text, '-', ''), 12))::bit(48)::bigint - by), 12, '0')
    || substr(replace(${column}::text, '-', ''), 13))::uuid`;
/** The same of an id with a prefix of three letters. */
const olderId = (column: string): string =>
  `left(${column}, 4) || lpad(to_hex(('x' || substr(${column}, 5, 12))::bit(48)::bigint - by), 12, '0') || substr(${column}, 17)`;
const another = (column: string): string => `${column} || '-' || c`;
const older = (columns: string): Own =>
  Object.fromEntries(columns.split(' ').map((name) => [name, `${name} - by * interval '1 ms'`]));

/** What each copy of a row has of its own; `c` is the number of the copy, `by` how many ms it is older. The rest is copied. */
const OWN: Record<string, Own> = {
  intents: {
    id: olderUuid('id'),
    request_id: another('request_id'),
    ...older('created_at deadline_at sending_at settled_at'),
  },
  orders: {
    id: olderUuid('id'),
    handle: `${olderUuid('id')}::text`,
    trader: `case when c % 10 = 0 then trader else trader || '_' || c % ${TRADERS} end`,
    ...older('created_at ended_at'),
  },
  idempotency_keys: { key: another('key'), intent_id: olderUuid('intent_id'), ...older('created_at') },
  events: { id: olderId('id'), position: 'position - c * 1000000::bigint', ...older('created_at') },
  webhook_deliveries: {
    id: olderId('id'),
    event_id: olderId('event_id'),
    ...older('created_at due_at taken_at ended_at'),
  },
  webhook_attempts: { delivery_id: olderId('delivery_id'), ...older('started_at') },
  statement_lines: { id: olderId('id'), reference: another('reference'), ...older('at') },
  api_requests: { request_id: another('request_id'), intent_id: olderUuid('intent_id'), ...older('at') },
};

/** The tables that grow with every order. */
export const GROWING = Object.keys(OWN);

/** Of the copies: a twentieth failed, some expired, few ended undecided, some deliveries were given up. */
const ENDED_OTHERWISE = `
  update copied_intents set state = 'failed', outcome = '{"problem": {"code": "VENUE_REJECTED", "reason": "insufficient_margin", "effect": "none"}}'
  where ordinal % 20 = 7;
  update copied_intents set state = 'expired', sending_at = null, sent_payload = null, outcome = '{"problem": {"code": "DEADLINE_PASSED", "effect": "none"}}'
  where ordinal % 200 = 11;
  update copied_intents set state = 'failed', outcome = '{"problem": {"code": "VENUE_UNREACHABLE", "effect": "unknown"}}'
  where ordinal % 1000 = 13;
  update copied_orders o set lifecycle = null, executed = null from copied_intents i where i.id = o.id and i.state <> 'succeeded';
  update copied_webhook_deliveries set state = 'failed', attempts = 10, error = 'status', response_status = 500 where ordinal % 100 = 17`;

/**
 * Multiplies the settled orders of a database, with everything that belongs to them, until there are so many intents: each
 * copy is older than the one before, over a year. Indexes and constraints are made after the rows, and are those of before.
 * Leaves the tables vacuumed and analysed, as they are in a database that grew.
 */
export async function multiply(client: pg.Client, intents: number): Promise<void> {
  const { rows } = await client.query('select count(*)::integer as count from intents where settled_at is not null');
  const copies = Math.ceil(intents / rows[0].count);
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '1GB'; set synchronous_commit = off`,
  );
  const { rows: objects } = await client.query<{ drop: string; make: string }>(OBJECTS, [GROWING]);
  await client.query('begin'); // what a table of this transaction gets is not logged where wal_level is minimal
  for (const table of GROWING)
    await client.query(
      `create temp table copied_${table} as select row_number() over () as ordinal, t.* from ${table} t`,
    );
  await client.query(ENDED_OTHERWISE);
  for (const { drop } of objects) await client.query(drop);
  await client.query(`truncate ${GROWING.join(', ')} cascade`);
  for (const table of GROWING) await copyRows(client, table, copies);
  for (const { make } of objects.toReversed()) await client.query(make);
  await client.query('commit');
  await client.query('reset session_replication_role');
  await client.query(`vacuum (analyze, index_cleanup off) ${GROWING.join(', ')}`);
}

/** Oldest first, as they were written. */
async function copyRows(client: pg.Client, table: string, copies: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>(COLUMNS, [table]);
  const own = OWN[table] ?? {};
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => own[name] ?? name);
  for (let c = copies; c > 0; c -= CHUNK)
    await client.query(
      `insert into ${table} (${columns.join(', ')})
       select ${values.join(', ')}
       from generate_series($1::integer, $2::integer, -1) c
       cross join lateral (select round((${FIRST_DAYS} + (c - 1) * ${LAST_DAYS - FIRST_DAYS} / $3::double precision) * ${DAY_MS})::bigint as by) b
       cross join lateral (select t.* from copied_${table} t where c > 0 offset 0) t`,
      [c, Math.max(1, c - CHUNK + 1), copies],
    );
  await client.query(`insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from copied_${table}`);
}

const COLUMNS = `
  select a.attname as name
  from pg_attribute a
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attidentity = '' and a.attgenerated = ''
  order by a.attnum`;

/** How to drop and make the constraints and indexes of tables: foreign keys first. Indexes of few rows stay: they cost a row nothing. */
const OBJECTS = `
  select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
    format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as make,
    case c.contype when 'f' then 1 else 2 end as step
  from pg_constraint c
  where (c.conrelid = any ($1::text[]::regclass[]) and c.contype in ('f', 'p', 'u'))
    or (c.confrelid = any ($1::text[]::regclass[]) and c.contype = 'f')
  union all
  select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 3
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  where i.indrelid = any ($1::text[]::regclass[]) and (i.indpred is null or x.reltuples > t.reltuples / 5)
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
  order by step`;
