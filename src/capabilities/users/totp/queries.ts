import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { UserId } from '../../../kernel/ids.ts';

const seedRow = z.object({ totp_seed: z.instanceof(Buffer).nullable(), is_enabled: z.boolean(), now_s: z.number() });

/** A user's sealed seed, whether it is confirmed, and the database's time. */
export const getSeed = (db: Pick<Db, 'one'>, userId: UserId): Promise<z.infer<typeof seedRow>> =>
  db.one(sql.prepared('get_user_seed', seedRow)`
    select u.totp_seed, u.totp_enabled_at is not null as is_enabled, extract(epoch from now())::double precision as now_s
    from users u
    where u.id = ${userId}`);
