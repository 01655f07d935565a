import { sql } from 'slonik';
import { z } from 'zod';
import type { SealContext, Sealer } from '../kernel/seal.ts';
import { type Db, openPool } from './pool.ts';
import { sealedColumns } from './reseal.ts';

const CONTEXT: SealContext = { table: 'seal_checks', row: 'keyring', column: 'sealed' };
const CONTENT = 'opened';

/**
 * A check whether this process has the keys that seal this database. It takes the stored value; where there is none, it makes
 * one, unless some sealed value exists that this process cannot open.
 */
export const sealCheck =
  (db: Db, sealer: Sealer) =>
  async (sealed: Buffer | null): Promise<boolean> => {
    if (sealed) return canOpen(sealer, sealed, CONTEXT);
    if (!(await canOpenAny(db, sealer))) return false;
    const { rowCount } = await db.query(sql.type(z.object({}))`
      insert into seal_checks (id, sealed)
      values (${CONTEXT.row}, ${sql.binary(sealer.seal(CONTENT, CONTEXT))})
      on conflict (id) do nothing`);
    return rowCount === 1 || sealCheck(db, sealer)(await readCheck(db));
  };

const checkRow = z.object({ sealed: z.instanceof(Buffer) });

const readCheck = (db: Db): Promise<Buffer> => db.oneFirst(sql.type(checkRow)`select c.sealed from seal_checks c`);

/**
 * Throws if these keys cannot open what the other processes of this database seal. Accepts any keys for a database that is not migrated yet or has
 * nothing sealed.
 */
export async function requireKeys(url: string, sealer: Sealer): Promise<void> {
  const db = await openPool(url, 1, () => {});
  try {
    const isMigrated = await db.exists(sql.type(z.object({}))`select where to_regclass('seal_checks') is not null`);
    const sealed = isMigrated && (await db.maybeOneFirst(sql.type(checkRow)`select c.sealed from seal_checks c`));
    if (sealed && !canOpen(sealer, sealed, CONTEXT)) throw new Error(OTHER_KEYS);
  } finally {
    await db.end();
  }
}

const OTHER_KEYS =
  'Setting SEALING_KEYS: none of these keys opens what this database seals. Add the key that does, behind the new one ' +
  '(src/docs/operating.md, Key rotation), or set the DATABASE_URL of this deployment.';

const someRow = z.object({ row: z.string(), sealed: z.instanceof(Buffer) });

/** Whether the first sealed value that is found can be opened; true where nothing is sealed yet. */
async function canOpenAny(db: Db, sealer: Sealer): Promise<boolean> {
  for (const { table, keys, column } of sealedColumns) {
    const columns = keys.map((key) => sql.fragment`t.${sql.identifier([key])}::text`);
    const found = await db.maybeOne(sql.type(someRow)`
      select concat_ws(' ', ${sql.join(columns, sql.fragment`, `)}) as row, t.${sql.identifier([column])} as sealed
      from ${sql.identifier([table])} t
      where t.${sql.identifier([column])} is not null
      limit 1`);
    if (found) return canOpen(sealer, found.sealed, { table, row: found.row, column });
  }
  return true;
}

function canOpen(sealer: Sealer, sealed: Buffer, context: SealContext): boolean {
  try {
    sealer.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}
