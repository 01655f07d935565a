import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type AppId, type Hotkey, idSchema, type OwnerId } from '../../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../../kernel/seal.ts';

/** The seal context of the network key of an app. */
export const networkKeySealContext = (appId: AppId): SealContext => ({
  table: 'apps',
  row: appId,
  column: 'network_key',
});

const identityRow = z.object({
  app_id: idSchema.app,
  entity_hotkey: idSchema.hotkey,
  network_key: z.instanceof(Buffer),
});

/** An app's identity at the network, and the key that its miner accepts. */
export type NetworkIdentity = { entityHotkey: Hotkey; minerKey: string };

/** The entity that an app creates its subaccounts under. Null: the platform's entity, as for partners. */
export const findAppEntity = (db: Db, owner: OwnerId): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('app_entity', identityRow.pick({ entity_hotkey: true }))`
    select a.entity_hotkey
    from apps a
    where a.id = ${owner} and a.network_key is not null`);

/** The entities of all apps that have their own, with a key. */
export const listAppEntities = (db: Db): Promise<readonly string[]> =>
  db.anyFirst(sql.type(identityRow.pick({ entity_hotkey: true }))`
    select a.entity_hotkey
    from apps a
    where a.network_key is not null`);

/**
 * The app identity of an entity, or null if no app has that entity with a key. It includes disabled apps, so that
 * running writes can finish.
 */
export async function findNetworkIdentity(
  { db, sealer }: { db: Db; sealer: Sealer },
  entityHotkey: Hotkey,
): Promise<NetworkIdentity | null> {
  const row = await db.maybeOne(sql.prepared('network_identity', identityRow)`
    select a.id as app_id, a.entity_hotkey, a.network_key
    from apps a
    where a.entity_hotkey = ${entityHotkey} and a.network_key is not null`);
  return row && { entityHotkey, minerKey: sealer.open(row.network_key, networkKeySealContext(row.app_id)).toString() };
}
