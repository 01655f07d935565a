import { sql } from 'slonik';
import { z } from 'zod';
import type { Sealer } from '../kernel/seal.ts';
import type { Db } from './pool.ts';

/** `keys`: the columns whose values, a space between them, name the row. */
type SealedColumn = { table: string; keys: readonly string[]; column: string };

/** Every column that holds sealed values, with the key its rows are bound by. A test holds it against the database. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'admins', keys: ['id'], column: 'totp_seed' },
  { table: 'apps', keys: ['id'], column: 'network_key' },
  { table: 'kept_answers', keys: ['caller', 'key'], column: 'sealed' },
  { table: 'mails', keys: ['id'], column: 'secret' },
  { table: 'payments', keys: ['id'], column: 'sealed_client_secret' },
  { table: 'registration_keys', keys: ['registration_id'], column: 'sealed' },
  { table: 'sealed_results', keys: ['intent_id'], column: 'sealed' },
  { table: 'signing_keys', keys: ['id'], column: 'sealed' },
  { table: 'users', keys: ['id'], column: 'totp_seed' },
  { table: 'webhook_secrets', keys: ['id'], column: 'sealed' },
];

const PAGE = 500;
const sealedRow = z.object({ row: z.string(), sealed: z.instanceof(Buffer) });

/**
 * Seals anew, under the active key, every value of a column that an older key sealed; answers how many. A value changed meanwhile
 * is left alone: whoever changed it sealed it. Safe to repeat and to stop; afterwards the older keys can go.
 */
export async function reseal(db: Db, sealer: Sealer, { table, keys, column }: SealedColumn): Promise<number> {
  const [tableName, columnName] = [sql.identifier([table]), sql.identifier([column])];
  const named = sql.fragment`concat_ws(' ', ${sql.join(
    keys.map((key) => sql.fragment`t.${sql.identifier([key])}::text`),
    sql.fragment`, `,
  )})`;
  let resealed = 0;
  for (let after = ''; ; ) {
    const page = await db.any(sql.type(sealedRow)`
      select ${named} as row, t.${columnName} as sealed
      from ${tableName} t
      where t.${columnName} is not null and ${named} > ${after}
      order by ${named}
      limit ${PAGE}`);
    for (const { row, sealed } of page.filter((value) => sealer.needsReseal(value.sealed))) {
      const place = { table, row, column };
      const { rowCount } = await db.query(sql.type(z.object({}))`
        update ${tableName} t
        set ${columnName} = ${sql.binary(sealer.seal(sealer.open(sealed, place), place))}
        where ${named} = ${row} and t.${columnName} = ${sql.binary(sealed)}`);
      resealed += rowCount;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return resealed;
    after = last.row;
  }
}
