import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { type AppId, idSchema, normalisedEmail, type UserId } from '../../kernel/ids.ts';

const addresseeRow = z.object({ user_id: idSchema.user, email: z.string(), is_verified: z.boolean() });

/** A user of the app to whom a notification is mailed. `email` is the address stored with the user. */
export type Addressee = z.infer<typeof addresseeRow>;

/** The app's user with this address, in any spelling; null if there is none. */
export const findAddressee = (db: Db, app: AppId, email: string): Promise<Addressee | null> =>
  db.maybeOne(sql.prepared('find_addressee', addresseeRow)`
    select u.id as user_id, u.email, u.verified_at is not null as is_verified
    from users u
    where u.app_id = ${app} and u.email = ${normalisedEmail(email)}`);

/** Whether the app has a user with this id. */
export const isUserOf = (db: Db, app: AppId, userId: UserId): Promise<boolean> =>
  db.exists(sql.unsafe`select from users u where u.app_id = ${app} and u.id = ${userId}`);
