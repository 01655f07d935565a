import type { ClientBase } from 'pg';
import type { Calls } from './calls.ts';
import { readCatalog } from './catalog.ts';
import { checkStillServed, isCalled, type Protected } from './compatibility.ts';
import type { Definition } from './definitions.ts';
import { findKept, type KeptDefinition, makeKept } from './kept-definitions.ts';

type Recorded = Pick<Definition, 'kind' | 'name' | 'sha256'>;

/** The definitions to apply to a database (`changed`) and to drop from it (`removed`). */
type Changes = { changed: Definition[]; removed: Recorded[]; kept: KeptDefinition[] };

/** What a release has to respect: the code that it must not break, and the tasks that it brings. */
type Beside = { protectedCode: Protected[]; tasks: Calls['tasks'] };

/**
 * Brings the functions, views and triggers of a database to the state `all`: applies the changed ones, drops those that
 * are removed, and checks every function body. What protected code calls is not dropped, nor what that uses; it is dropped
 * by the first release after which nothing calls it. Throws if a changed definition no longer serves protected code. All of
 * it is one transaction. The caller must hold the migrators' lock and have applied the numbered files.
 */
export async function applyDefinitions(
  client: ClientBase,
  log: (line: string) => void,
  all: Definition[],
  { protectedCode, tasks }: Beside = { protectedCode: [], tasks: [] },
): Promise<void> {
  const changes = await findChanges(client, all, protectedCode);
  const { changed, removed, kept } = changes;
  const before = await readCatalog(client);
  if (changed.length + removed.length > 0) {
    await client.query('begin');
    await client.query('set local check_function_bodies = off'); // all are checked below
    await client.query('savepoint before_replace');
    if (!(await replace(client, changes))) {
      await client.query('rollback to before_replace');
      await recreate(client, all, changes);
    }
    for (const { text } of all.filter(({ kind }) => kind === 'access')) await client.query(text);
    await checkBodies(client);
    await makeTriggers(client, changed);
    await recordDefinitions(client, changes);
  }
  await checkStillServed(client, { protectedCode, before, tasks });
  if (changed.length + removed.length > 0) await client.query('commit');
  if (changed.length + removed.length > 0) log(`Definitions: ${changed.length} applied, ${removed.length} dropped`);
  if (kept.length > 0) log(`Definitions kept, since other code calls them: ${kept.map(({ name }) => name).join(', ')}`);
}

async function findChanges(client: ClientBase, all: Definition[], protectedCode: Protected[]): Promise<Changes> {
  const { rows: recorded } = await client.query<Recorded>('select d.kind, d.name, d.sha256 from definitions d');
  const present = await listPresent(client);
  const known = new Map(recorded.map(({ name, sha256 }) => [name, sha256]));
  const files = new Set(all.map(({ name }) => name));
  const gone = recorded.filter(({ name }) => !files.has(name));
  const kept = await findKept(client, gone, (name) => isCalled(name, protectedCode));
  return {
    kept,
    changed: all.filter(
      ({ kind, name, sha256 }) => known.get(name) !== sha256 || !(kind === 'access' || present.has(name)),
    ),
    removed: gone.filter(({ name }) => !kept.some((each) => each.name === name)),
  };
}

/**
 * The names of all existing definitions. One may be missing although it is recorded: a migration may drop a view that
 * blocks it.
 */
async function listPresent(client: ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(`
    select replace(p.pronamespace::regnamespace || '.' || p.proname, 'public.', '') as name
    from pg_proc p
    where p.pronamespace::regnamespace::text in ('public', 'ops')
    union all
    select replace(v.schemaname || '.' || v.viewname, 'public.', '')
    from pg_views v
    where v.schemaname in ('public', 'ops')
    union all
    select t.tgname || ' on ' || c.relname
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal`);
  return new Set(rows.map(({ name }) => name));
}

const CANNOT_REPLACE = ['42P16', '2BP01']; // columns of a view, dependent objects

/** Replaces changed definitions in place, which locks only these. False if PostgreSQL cannot replace them while other views use them. */
async function replace(client: ClientBase, { changed, removed }: Changes): Promise<boolean> {
  try {
    await drop(client, removed);
    await create(client, changed);
    return true;
  } catch (error) {
    if (CANNOT_REPLACE.includes(codeOf(error))) return false;
    throw error;
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** As `replace`, with all views dropped before, and created again. */
async function recreate(client: ClientBase, all: Definition[], { changed, removed, kept }: Changes): Promise<void> {
  const views = all.filter(({ kind }) => kind === 'view');
  await drop(client, [...removed, ...views, ...kept.filter(({ kind }) => kind === 'view')]);
  await create(client, [...changed.filter(({ kind }) => kind === 'function'), ...views]);
  await makeKept(client, kept);
}

/**
 * Creates functions and views in one round trip: statements that read a view wait while it is locked. A function stays the one that statements in
 * progress have looked up, unless its parameters or its result are others.
 */
async function create(client: ClientBase, definitions: Definition[]): Promise<void> {
  const { rows } = await client.query<{ oid: number }>(
    `select p.oid from pg_proc p where p.pronamespace::regnamespace::text in ('public', 'ops')`,
  );
  const ofKind = (wanted: string) => definitions.filter(({ kind }) => kind === wanted);
  const statements = [
    ...ofKind('function').map(orAgain),
    withoutOverloads(rows.map(({ oid }) => oid)),
    ...ofKind('view').map(({ text }) => text),
  ];
  await client.query(statements.join('\n'));
}

const orAgain = ({ name, text }: Definition): string => `
  do $do$ begin
    execute $text$${text}$text$;
  exception when invalid_function_definition then
    drop function ${name};
    execute $text$${text}$text$;
  end $do$;`;

/** Drops those of `former` functions beside which there is another one of that name: `create or replace` with other parameters keeps the former. */
const withoutOverloads = (former: number[]): string => `
  do $do$
  declare
    f record;
  begin
    for f in
      select p.oid::regprocedure as signature
      from pg_proc p
      where p.oid = any('{${former}}'::oid[])
        and exists (select from pg_proc n where n.pronamespace = p.pronamespace and n.proname = p.proname and n.oid <> p.oid)
    loop
      execute format('drop function %s', f.signature);
    end loop;
  end $do$;`;

/** Makes changed triggers again, which locks their tables: the last of all that takes time. */
async function makeTriggers(client: ClientBase, changed: Definition[]): Promise<void> {
  const triggers = changed.filter(({ kind }) => kind === 'trigger');
  await drop(client, triggers);
  await client.query(triggers.map(({ text }) => text).join('\n'));
}

/** Drops definitions in one round trip, likewise. */
const drop = (client: ClientBase, recorded: Recorded[]): Promise<unknown> =>
  client.query(
    dropOrder(recorded)
      .map(({ kind, name }) => `drop ${kind} if exists ${name}`)
      .join(';\n'),
  );

/** Triggers first, then all views in one statement, then functions. */
function dropOrder(recorded: Recorded[]): Recorded[] {
  const ofKind = (wanted: string) => recorded.filter(({ kind }) => kind === wanted);
  const views = ofKind('view').map(({ name }) => name);
  const together: Recorded[] = views.length > 0 ? [{ kind: 'view', name: views.join(', '), sha256: '' }] : [];
  return [...ofKind('trigger'), ...together, ...ofKind('function')];
}

/** Makes PostgreSQL check every function body, including unchanged ones: the tables they read may have changed. */
const checkBodies = (client: ClientBase): Promise<unknown> =>
  client.query(`
    set local check_function_bodies = on;
    do $$
    declare
      f record;
    begin
      for f in
        select p.oid::regproc::text as name, l.lanvalidator::regproc::text as validator, p.oid
        from pg_proc p
        join pg_language l on l.oid = p.prolang
        where p.pronamespace::regnamespace::text in ('public', 'ops')
        order by 1
      loop
        execute format('select %s(%s)', f.validator, f.oid);
      end loop;
    exception
      when others then
        raise exception using message = format('Function %s: %s', f.name, sqlerrm), errcode = sqlstate;
    end $$`);

async function recordDefinitions(
  client: ClientBase,
  { changed, removed }: Pick<Changes, 'changed' | 'removed'>,
): Promise<void> {
  await client.query('delete from definitions d where d.name = any($1)', [removed.map(({ name }) => name)]);
  await client.query(
    `insert into definitions as d (name, kind, sha256)
     select c.name, c.kind, c.sha256
     from jsonb_to_recordset($1::jsonb) as c (name text, kind text, sha256 text)
     on conflict (name) do update set kind = excluded.kind, sha256 = excluded.sha256, applied_at = now()`,
    [JSON.stringify(changed.map(({ name, kind, sha256 }) => ({ name, kind, sha256 })))],
  );
}
