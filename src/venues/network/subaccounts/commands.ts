import { sql } from 'slonik';
import { z } from 'zod';
import { eachInTurn } from '../../../db/polling.ts';
import type { Db } from '../../../db/pool.ts';
import type { Hotkey, IntentId } from '../../../kernel/ids.ts';
import type { Netvenue } from '../adapter/types.ts';
import { hasLiveSubaccounts, listMovedSubaccounts } from './queries.ts';

/** Stores the latest status that the network reported for a subaccount. Writes nothing if the status is unchanged. */
export async function noteSubaccountStatus(db: Db, syntheticHotkey: Hotkey, status: string): Promise<void> {
  await db.query(sql.prepared('note_subaccount_status', z.object({}))`
    update subaccounts
    set status = ${status}
    where synthetic_hotkey = ${syntheticHotkey} and status <> ${status}`);
}

/** Stores the account that the network shows for the wallet of a paid registration, unless somebody holds that: reads do not wait for it. */
export async function noteBoughtAccount(db: Db, registration: IntentId, syntheticHotkey: Hotkey): Promise<void> {
  await db.query(sql.prepared('note_bought_account', z.object({}))`
    update registrations
    set synthetic_hotkey = ${syntheticHotkey}
    where id in (
      select r.id
      from registrations r
      where r.id = ${registration} and r.synthetic_hotkey is distinct from ${syntheticHotkey}
      for no key update skip locked
    )`);
}

/** What the sync of partners' subaccounts needs. */
export type SubaccountSyncDeps = { db: Db; venues: { netvenue: Pick<Netvenue, 'listSubaccounts'> } };

/**
 * Records the statuses that the network has given to partners' subaccounts by itself: nothing else reads one that places no
 * order. One read, of the list of all. Each is a transaction of its own, so that it locks one event log.
 */
export async function syncSubaccounts({ db, venues }: SubaccountSyncDeps): Promise<void> {
  if (!(await hasLiveSubaccounts(db))) return;
  const listed = await venues.netvenue.listSubaccounts();
  if (listed.kind !== 'found') return;
  await eachInTurn(await listMovedSubaccounts(db, listed.data), ({ hotkey, status }) =>
    noteSubaccountStatus(db, hotkey, status),
  );
}
