import { listOwnedSubaccounts } from '../../capabilities/accounts/queries.ts';
import type { Db } from '../../db/pool.ts';
import { listEntities } from '../../intents/recover.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { Netvenue } from '../../venues/network/adapter/types.ts';
import { datedSince, keepUnknown, type Report } from './orders.ts';

type Sources = { db: Db; venues: { of(entity: Hotkey): Promise<Netvenue | null> } } & Report;

/** Reads every entity at the network, the platform's and tenants' own, and prints subaccounts and orders since then that are not known here. */
export async function recoverNetwork(sources: Sources, platform: Hotkey, sinceMs: number): Promise<void> {
  for (const { entity, hotkeys } of await listEntities(sources.db, platform)) {
    const venue = await sources.venues.of(entity);
    if (!venue) {
      sources.print(`entity ${entity}  could not be read: its app has no key any more`);
      continue;
    }
    await printSubaccounts(sources, { entity, venue, isUsed: hotkeys.length > 0 }, sinceMs);
    for (const hotkey of hotkeys) await printOrders(sources, { hotkey, venue }, sinceMs);
  }
}

async function printSubaccounts(
  { db, print, printUnread }: Sources,
  { entity, venue, isUsed }: { entity: Hotkey; venue: Netvenue; isUsed: boolean },
  sinceMs: number,
): Promise<void> {
  const made = await venue.listSubaccounts();
  if (made.kind === 'unreadable' || (made.kind === 'absent' && isUsed)) printUnread(`subaccounts of ${entity}`); // it has some
  if (made.kind !== 'found') return;
  const since = made.data.filter(({ createdMs }) => createdMs === null || createdMs >= datedSince(sinceMs));
  const owned = await listOwnedSubaccounts(
    db,
    since.map(({ syntheticHotkey }) => syntheticHotkey),
  );
  for (const { subaccountId, syntheticHotkey, assetClass, accountSize } of since)
    if (syntheticHotkey === null) printUnread(`subaccount ${subaccountId} of ${entity}`);
    else if (!owned.has(syntheticHotkey))
      print(`subaccount  ${syntheticHotkey}  ${assetClass} ${accountSize}: without an owner here`);
}

async function printOrders(
  { db, print, printUnread }: Sources,
  { hotkey, venue }: { hotkey: Hotkey; venue: Netvenue },
  sinceMs: number,
): Promise<void> {
  const read = await venue.orders(hotkey);
  if (read.kind === 'unreadable') printUnread(`orders of ${hotkey}`);
  if (read.kind !== 'found') return;
  const { unfilled, filled, cancelled } = read.data;
  const since = [...unfilled, ...filled, ...cancelled].filter(
    ({ processedMs }) => (processedMs ?? sinceMs) >= datedSince(sinceMs),
  );
  await keepUnknown(
    { db, print },
    hotkey,
    since.map(({ uuid }) => uuid),
  );
}
