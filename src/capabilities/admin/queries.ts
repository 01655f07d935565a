import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { loginRow } from '../login/row.ts';

const adminRow = loginRow.extend({ totp_releases: z.number().nullable() });

/** What a login needs of the operator with that address. The members are null if there is none. */
export type AdminRow = z.infer<typeof adminRow>;

/** Reads an operator for a login. It always returns one row, so that unknown addresses cost the same. */
export const readAdmin = (db: Db, email: string, address: Buffer): Promise<AdminRow> =>
  db.one(sql.prepared('read_admin', adminRow)`
    select a.id, a.totp_releases, a.password_hash, '{}'::text[] as sign_up_hashes, a.totp_seed, a.totp_enrolled_at is not null as has_totp,
      exists (
        select from known_addresses k
        where k.account = a.id and k.address = ${sql.binary(address)}
      ) as is_known_address,
      extract(epoch from now())::double precision as now_s
    from (select 1) as always
    left join admins a on a.email = ${email} and a.disabled_at is null`);

/** Whether any operator exists. */
export const hasAdmins = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from admins`);
