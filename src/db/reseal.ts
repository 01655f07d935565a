import { sql } from 'slonik';
import { z } from 'zod';
import type { Sealer } from '../kernel/seal.ts';
import type { Db } from './pool.ts';

/** `keys`: the columns whose values, joined with spaces, identify the row. */
type SealedColumn = { table: string; keys: readonly string[]; column: string };

/**
 * Every column with sealed values, and the key that its values are bound to. A test compares it with the database. The check of keys (`seal_checks`)
 * is last: as long as it needs the older key, no process or release without that key is accepted.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'admins', keys: ['id'], column: 'totp_seed' },
  { table: 'apps', keys: ['id'], column: 'network_key' },
  { table: 'idempotent_responses', keys: ['caller', 'key'], column: 'sealed' },
  { table: 'mails', keys: ['id'], column: 'secret' },
  { table: 'payments', keys: ['id'], column: 'sealed_client_secret' },
  { table: 'registration_keys', keys: ['registration_id'], column: 'sealed' },
  { table: 'sealed_results', keys: ['intent_id'], column: 'sealed' },
  { table: 'signing_keys', keys: ['id'], column: 'sealed' },
  { table: 'users', keys: ['id'], column: 'totp_seed' },
  { table: 'webhook_secrets', keys: ['id'], column: 'sealed' },
  { table: 'seal_checks', keys: ['id'], column: 'sealed' },
];

const LIVING_S = 15; // a process reports every 5 s

/** The running processes that seal with another key; what they seal would be missed. */
export const listOtherSealers = (db: Db, { activeKeyId }: Sealer): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select p.kind || ' ' || p.instance as name
    from processes p
    where p.sealing_keys[1] <> ${activeKeyId} and p.seen_at > now() - make_interval(secs => ${LIVING_S})
    order by 1`);

const PAGE = 500;
const sealedRow = z.object({ row: z.string(), sealed: z.instanceof(Buffer) });

/**
 * Seals again, with the active key, every value of a column that an older key sealed. Resolves to their number. A value
 * changed meanwhile is skipped: the change sealed it with the active key. Safe to repeat and to interrupt. Once it has
 * run for all columns, the older keys can be removed.
 */
export async function reseal(db: Db, sealer: Sealer, { table, keys, column }: SealedColumn): Promise<number> {
  const [tableName, columnName] = [sql.identifier([table]), sql.identifier([column])];
  const rowKey = sql.fragment`concat_ws(' ', ${sql.join(
    keys.map((key) => sql.fragment`t.${sql.identifier([key])}::text`),
    sql.fragment`, `,
  )})`;
  let resealed = 0;
  for (let after = ''; ; ) {
    const page = await db.any(sql.type(sealedRow)`
      select ${rowKey} as row, t.${columnName} as sealed
      from ${tableName} t
      where t.${columnName} is not null and ${rowKey} > ${after}
      order by ${rowKey}
      limit ${PAGE}`);
    for (const { row, sealed } of page.filter((value) => sealer.needsReseal(value.sealed))) {
      const context = { table, row, column };
      const { rowCount } = await db.query(sql.type(z.object({}))`
        update ${tableName} t
        set ${columnName} = ${sql.binary(sealer.seal(sealer.open(sealed, context), context))}
        where ${rowKey} = ${row} and t.${columnName} = ${sql.binary(sealed)}`);
      resealed += rowCount;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return resealed;
    after = last.row;
  }
}
