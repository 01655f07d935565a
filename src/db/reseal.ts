import { sql } from 'slonik';
import { z } from 'zod';
import type { Sealer } from '../kernel/seal.ts';
import type { Db } from './pool.ts';

type SealedColumn = { table: string; key: string; column: string };

/** Every column that holds sealed values, with the key its rows are bound by. A test holds it against the database. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'admins', key: 'id', column: 'totp_seed' },
  { table: 'apps', key: 'id', column: 'network_key' },
  { table: 'mails', key: 'id', column: 'secret' },
  { table: 'registration_keys', key: 'registration_id', column: 'sealed' },
  { table: 'signing_keys', key: 'id', column: 'sealed' },
  { table: 'users', key: 'id', column: 'totp_seed' },
  { table: 'webhook_secrets', key: 'id', column: 'sealed' },
];

const PAGE = 500;
const sealedRow = z.object({ row: z.string(), sealed: z.instanceof(Buffer) });

/**
 * Seals anew, under the active key, every value of a column that an older key sealed; answers how many. A value changed meanwhile
 * is left alone: whoever changed it sealed it. Safe to repeat and to stop; afterwards the older keys can go.
 */
export async function reseal(db: Db, sealer: Sealer, { table, key, column }: SealedColumn): Promise<number> {
  const [tableName, keyName, columnName] = [table, key, column].map((name) => sql.identifier([name])) as [
    Name,
    Name,
    Name,
  ];
  let resealed = 0;
  for (let after = ''; ; ) {
    const page = await db.any(sql.type(sealedRow)`
      select t.${keyName}::text as row, t.${columnName} as sealed
      from ${tableName} t
      where t.${columnName} is not null and t.${keyName}::text > ${after}
      order by t.${keyName}::text
      limit ${PAGE}`);
    for (const { row, sealed } of page.filter((value) => sealer.needsReseal(value.sealed))) {
      const place = { table, row, column };
      const { rowCount } = await db.query(sql.type(z.object({}))`
        update ${tableName}
        set ${columnName} = ${sql.binary(sealer.seal(sealer.open(sealed, place), place))}
        where ${keyName}::text = ${row} and ${columnName} = ${sql.binary(sealed)}`);
      resealed += rowCount;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return resealed;
    after = last.row;
  }
}

type Name = ReturnType<typeof sql.identifier>;
