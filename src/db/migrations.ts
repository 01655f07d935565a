import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder } from 'node-pg-migrate';
import type { ClientBase } from 'pg';

/** The glob of all migrations: the numbered files of sql/. They run in the order of their numbers. */
export const MIGRATION_FILES = fileURLToPath(new URL('../../sql/[0-9][0-9][0-9][0-9]_*.sql', import.meta.url));

/** The first migration of this layout. It has another name in every layout: a database is recognized by it. */
const FIRST = '0001_migrations';

const NO_TRANSACTION = /^-- outside a transaction/i;
/** What waits for older transactions while nobody waits behind it: if it gave up soon, what it has built would be built again. */
const BUILDS = /\bindex concurrently\b/;
const BUILD_WAITS = '10min';

/**
 * Loads migrations. A file is one transaction, unless its first line is `-- outside a transaction`. Then its statements
 * run one by one, each ending with a semicolon at the end of a line, and the file must be safe to run again from its
 * start.
 */
export const loadMigrations = (paths: string[]) => Promise.all(paths.map(loadMigration));

async function loadMigration(file: string) {
  const text = await readFile(file, 'utf8');
  const up = (pgm: MigrationBuilder) => {
    if (!NO_TRANSACTION.test(text)) return pgm.sql(text);
    pgm.noTransaction();
    for (const statement of text.split(/;\s*\n/).filter(isStatement)) {
      pgm.sql(BUILDS.test(statement) ? `set lock_timeout = '${BUILD_WAITS}'` : 'reset lock_timeout');
      pgm.sql(statement);
    }
    pgm.sql('reset lock_timeout');
  };
  return { id: file, filePaths: [file], actions: { up, down: false as const } };
}

const isStatement = (text: string) => text.replace(/--.*$/gm, '').trim() !== '';

/** Throws for a database made by an earlier layout of sql/. It cannot be converted and is left unchanged. */
export async function checkLayout(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select m.name from migrations m order by m.id');
  const first = rows[0]?.name ?? FIRST;
  if (first !== FIRST)
    throw new Error(
      `This database was made by an earlier version (its first migration is ${first}) and was left as it is: set DATABASE_URL to an ` +
        'empty database or, without DATABASE_URL, remove the data folder or set DATA_DIR to a new one.',
    );
}

/**
 * Throws for a database that has tables but no migrations of ours: it belongs to another application, and our roles would get rights on its tables.
 * Tables of extensions do not count. Throws also for one that does not store texts as UTF-8: it lacks letters, or cuts them in two.
 */
export async function checkEmpty(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string | null; encoding: string }>(`
    select c.relname as name, current_setting('server_encoding') as encoding
    from (select 1) always
    left join pg_class c on c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by 1
    limit 3`);
  const [first] = rows;
  if (first?.encoding !== 'UTF8')
    throw new Error(
      `This database stores texts as ${first?.encoding} and was left as it is: create one with \`encoding 'UTF8' template template0\`.`,
    );
  if (first.name === null) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new Error(
    `This database has tables of another application (${names}) and was left as it is: set DATABASE_URL to an empty database.`,
  );
}
