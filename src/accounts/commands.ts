import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Netvenue } from '../adapters/network/types.ts';
import type { Db } from '../db/pool.ts';
import type { Hotkey } from '../kernel/ids.ts';
import { hasOpenCreations, listOwnedSubaccounts } from './queries.ts';
import { newerThanOwned } from './rules.ts';

/** Stores the latest status that the network reported for a subaccount. Writes nothing if the status is unchanged. */
export async function noteSubaccountStatus(db: Db, syntheticHotkey: Hotkey, status: string): Promise<void> {
  await db.query(sql.prepared('note_subaccount_status', z.object({}))`
    update subaccounts
    set status = ${status}
    where synthetic_hotkey = ${syntheticHotkey} and status <> ${status}`);
}

type Sources = { db: Db; log: Pick<Logger, 'error'>; venues: { netvenue: Pick<Netvenue, 'listSubaccounts'> } };

/**
 * Looks once, at a worker's start, whether the network has subaccounts of the platform that are newer than all known here,
 * although no creation is open. That is what a database looks like that was restored from a backup.
 */
export async function checkIsBehind({ db, log, venues }: Sources): Promise<void> {
  const listed = await venues.netvenue.listSubaccounts();
  if (listed.kind !== 'found' || (await hasOpenCreations(db))) return;
  const owned = await listOwnedSubaccounts(
    db,
    listed.data.map(({ syntheticHotkey }) => syntheticHotkey),
  );
  const subaccounts = newerThanOwned(listed.data, owned).length;
  if (subaccounts > 0)
    log.error(
      { alert: 'database_behind', subaccounts },
      'the network has newer subaccounts than this database: recover it',
    );
}
