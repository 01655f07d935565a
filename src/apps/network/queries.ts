import { sql } from 'slonik';
import { z } from 'zod';
import { networkKey } from '../../admin/apps/intents.ts';
import type { Db } from '../../db/pool.ts';
import type { Sealer } from '../../kernel/seal.ts';

const identityRow = z.object({ app_id: z.string(), entity_hotkey: z.string(), network_key: z.instanceof(Buffer) });

/** A tenant's own identity at the network, and the key its miner knows us by. */
export type NetworkIdentity = { entityHotkey: string; minerKey: string };

/** The entity an app makes its subaccounts under; null where that is the platform's, as it is for partners. */
export const findOwnEntity = (db: Db, owner: string): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('own_entity', identityRow.pick({ entity_hotkey: true }))`
    select a.entity_hotkey
    from apps a
    where a.id = ${owner} and a.network_key is not null`);

/** The app's identity behind an entity, also of a disabled app: what is under way goes on. Null where no app has it with a key. */
export async function findNetworkIdentity(
  { db, sealer }: { db: Db; sealer: Sealer },
  entityHotkey: string,
): Promise<NetworkIdentity | null> {
  const row = await db.maybeOne(sql.prepared('network_identity', identityRow)`
    select a.id as app_id, a.entity_hotkey, a.network_key
    from apps a
    where a.entity_hotkey = ${entityHotkey} and a.network_key is not null`);
  return row && { entityHotkey, minerKey: sealer.open(row.network_key, networkKey(row.app_id)).toString() };
}
