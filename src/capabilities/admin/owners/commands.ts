import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { AppId, PartnerId } from '../../../kernel/ids.ts';

/** What becomes of the deliveries and mails that waited while an app or partner was disabled. */
export type Waiting = 'send' | 'drop';

/** Sends what waited, or ends it unsent. Call it in the transaction that enables the owner, after that statement. */
export async function resumeOwner(db: Pick<Db, 'query'>, owner: AppId | PartnerId, waiting: Waiting): Promise<void> {
  await db.query(sql.prepared('resume_owner', z.object({}))`select resume_owner(${owner}, ${waiting === 'send'})`);
}
