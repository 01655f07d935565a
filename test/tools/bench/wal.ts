import { type Extent, type Figures, type Row, reported } from './figures.ts';
import { CHAINS, openSides, type Side, tripsOf } from './sides.ts';

const PER_SECOND = 25; // one order after the other: few share a commit
const SECONDS = 20;
const SMALL_SECONDS = 2;
const LEAST_BYTES = 20; // what is smaller is shown as one row

/**
 * WAL: what an order writes to the log of its database, by table and index, without the images of whole pages; beside the
 * honest chain. Of tables also which share of the new versions stayed in their page (HOT).
 */
export async function measureWal({ small }: Extent): Promise<Figures> {
  const { service, honest, close } = await openSides();
  const seconds = small ? SMALL_SECONDS : SECONDS;
  try {
    await tripsOf(service, PER_SECOND, SMALL_SECONDS); // pages, plans, slots
    await tripsOf(honest, PER_SECOND, SMALL_SECONDS);
    const least = sumOf(await loggedBy(honest, seconds));
    const logged = await loggedBy(service, seconds);
    const whole = sumOf(logged);
    return {
      name: 'WAL',
      title: `what an order logs at ${PER_SECOND} orders/s, by table and index, without images of pages`,
      rows: [
        reported({
          what: `all, beside ${CHAINS.honest}`,
          unit: 'B',
          figure: whole,
          reference: least,
          ratio: whole / least,
        }),
        ...logged.filter(({ bytes }) => bytes >= LEAST_BYTES).map(shownRelation),
        reported({ what: 'others', unit: 'B', figure: sumOf(logged.filter(({ bytes }) => bytes < LEAST_BYTES)) }),
      ],
    };
  } finally {
    await close();
  }
}

/** What an order logged about one table or index, or as one kind of record that is about none: the bytes and how many records. */
type Logged = { relation: string; bytes: number; records: number; hot: number | null };

const sumOf = (logged: Logged[]): number => logged.reduce((sum, { bytes }) => sum + bytes, 0);

const shownRelation = ({ relation, bytes, records, hot }: Logged): Row =>
  reported({
    what: `${relation}, ${records.toFixed(1)} records${hot === null ? '' : `, ${Math.round(hot * 100)} % HOT`}`,
    unit: 'B',
    figure: bytes,
  });

async function loggedBy(side: Side, seconds: number): Promise<Logged[]> {
  const { query } = side.arena;
  await query('create extension if not exists pg_walinspect');
  await query('vacuum analyze');
  await query('checkpoint');
  const from = await positionOf(side);
  const updates = await updatesOf(side);
  await tripsOf(side, PER_SECOND, seconds);
  const orders = PER_SECOND * seconds;
  const rows = await query<{ relation: string; bytes: number; records: number }>(LOGGED, [
    from,
    await positionOf(side),
  ]);
  const after = await updatesOf(side);
  return rows.map(({ relation, bytes, records }) => {
    const [all, hot] = [0, 1].map((n) => (after.get(relation)?.[n] ?? 0) - (updates.get(relation)?.[n] ?? 0));
    return { relation, bytes: bytes / orders, records: records / orders, hot: all ? (hot ?? 0) / all : null };
  });
}

async function positionOf({ arena }: Side): Promise<string> {
  const [row] = await arena.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  return row?.lsn ?? '';
}

const LOGGED = `
  select coalesce(c.relname, lower(w.resource_manager) || ' ' || lower(w.record_type)) as relation,
    sum(w.record_length - w.fpi_length)::double precision as bytes, count(*)::double precision as records
  from (
    select r.resource_manager, r.record_type, r.record_length, r.fpi_length,
      (regexp_match(r.block_ref, 'rel [0-9]+/[0-9]+/([0-9]+)'))[1]::oid as filenode
    from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn) r
  ) w
  left join pg_class c on pg_relation_filenode(c.oid) = w.filenode
  group by 1
  order by 2 desc`;

/** All updates of each table so far, and those that stayed in their page. */
async function updatesOf({ arena }: Side): Promise<Map<string, [all: number, hot: number]>> {
  await arena.query('select pg_sleep(1.1)'); // a backend reports its statistics at most once a second
  const rows = await arena.query<{ relname: string; all: number; hot: number }>(`
    select relname, n_tup_upd::double precision as all, n_tup_hot_upd::double precision as hot
    from pg_stat_user_tables`);
  return new Map(rows.map(({ relname, all, hot }) => [relname, [all, hot]]));
}
