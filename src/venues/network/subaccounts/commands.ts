import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { Hotkey } from '../../../kernel/ids.ts';

/** Stores the latest status that the network reported for a subaccount. Writes nothing if the status is unchanged. */
export async function noteSubaccountStatus(db: Db, syntheticHotkey: Hotkey, status: string): Promise<void> {
  await db.query(sql.prepared('note_subaccount_status', z.object({}))`
    update subaccounts
    set status = ${status}
    where synthetic_hotkey = ${syntheticHotkey} and status <> ${status}`);
}
