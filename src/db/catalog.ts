import type { ClientBase } from 'pg';
import type { Calls, Signature } from './calls.ts';

type Routine = Signature & { name: string };
type Columns = { name: string; columns: Record<string, string> };

/** Everything that a database offers to callers: its functions, tables and views. */
export async function readCatalog(client: ClientBase): Promise<Pick<Calls, 'functions' | 'relations'>> {
  const routines = await client.query<Routine>(`
    select replace(p.pronamespace::regnamespace || '.' || p.proname, 'public.', '') as name,
      array(
        select format_type(t.oid, null)
        from unnest(p.proargtypes::oid[]) with ordinality as t (oid, n)
        order by t.n
      ) as args,
      p.pronargdefaults as optional,
      pg_get_function_result(p.oid) as result
    from pg_proc p
    where p.pronamespace::regnamespace::text in ('public', 'ops') and p.prorettype <> 'trigger'::regtype`);
  const relations = await client.query<Columns>(`
    select replace(c.relnamespace::regnamespace || '.' || c.relname, 'public.', '') as name,
      jsonb_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace::regnamespace::text in ('public', 'ops') and c.relkind in ('r', 'p', 'v')
    group by c.oid`);
  return {
    functions: Object.fromEntries(
      routines.rows.map(({ name, args, optional, result }) => [name, { args, optional, result }]),
    ),
    relations: Object.fromEntries(relations.rows.map(({ name, columns }) => [name, columns])),
  };
}
