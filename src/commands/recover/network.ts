import { listOwnedSubaccounts } from '../../capabilities/accounts/queries.ts';
import type { Db } from '../../db/pool.ts';
import { listEntities } from '../../intents/recover.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { Netvenue } from '../../venues/network/adapter/types.ts';
import { datedSince, keepUnknown } from './orders.ts';

type Sources = { db: Db; venues: { of(entity: Hotkey): Promise<Netvenue | null> }; print(line: string): void };

/** Reads every entity at the network, the platform's and tenants' own, and prints subaccounts and orders since then that are not known here. */
export async function recoverNetwork(sources: Sources, platform: Hotkey, sinceMs: number): Promise<void> {
  for (const { entity, hotkeys } of await listEntities(sources.db, platform)) {
    const venue = await sources.venues.of(entity);
    if (!venue) {
      sources.print(`entity ${entity}  could not be read: its app has no key any more`);
      continue;
    }
    await printSubaccounts(sources, { entity, venue }, sinceMs);
    for (const hotkey of hotkeys) await printOrders(sources, { hotkey, venue }, sinceMs);
  }
}

async function printSubaccounts(
  { db, print }: Sources,
  { entity, venue }: { entity: Hotkey; venue: Netvenue },
  sinceMs: number,
): Promise<void> {
  const made = await venue.listSubaccounts();
  if (made.kind === 'unreadable') print(`subaccounts of ${entity}  could not be read: run this again`);
  if (made.kind !== 'found') return;
  const since = made.data.filter(({ createdMs }) => createdMs === null || createdMs >= datedSince(sinceMs));
  const owned = await listOwnedSubaccounts(
    db,
    since.map(({ syntheticHotkey }) => syntheticHotkey),
  );
  for (const { syntheticHotkey, assetClass, accountSize } of since)
    if (!owned.has(syntheticHotkey))
      print(`subaccount  ${syntheticHotkey}  ${assetClass} ${accountSize}: without an owner here`);
}

async function printOrders(
  { db, print }: Sources,
  { hotkey, venue }: { hotkey: Hotkey; venue: Netvenue },
  sinceMs: number,
): Promise<void> {
  const read = await venue.orders(hotkey);
  if (read.kind === 'unreadable') print(`orders of ${hotkey}  could not be read: run this again`);
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
