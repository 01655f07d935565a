import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type Hotkey, idSchema, isUuid, type OwnerId } from '../../../kernel/ids.ts';
import { protection } from '../orders/calls.ts';

const ownRow = z.object({
  id: idSchema.order,
  handle: z.string().nullable(),
  name: idSchema.order,
  protection: protection.nullable(),
});

/** What histories show of an order placed through this service: its owner's name of it, and its exits once they are recorded. */
export type OwnOrder = Pick<z.infer<typeof ownRow>, 'name' | 'protection'>;

/** A trader's orders among those that the venue has under these ids, by the venue's id or their own. */
export async function listOwnOrders(
  db: Db,
  owner: OwnerId,
  trader: Hotkey,
  ids: string[],
): Promise<ReadonlyMap<string, OwnOrder>> {
  const rows = await db.any(sql.prepared('own_orders', ownRow)`
    select o.id, o.handle, coalesce(o.given_id, o.id) as name, o.protection
    from (
      select n.*
      from unnest(${sql.array(ids.filter(isUuid), 'uuid')}) as u (id)
      cross join lateral (select * from orders k where k.id = u.id offset 0) n
      union all
      select n.*
      from unnest(${sql.array(ids, 'text')}) as u (handle)
      cross join lateral (select * from orders k where k.trader = ${trader} and k.handle = u.handle offset 0) n
    ) o -- each by its key: a plan kept for any trader reads all orders of one that has many
    where o.trader = ${trader} and o.owner = ${owner}`);
  return new Map(rows.flatMap((row) => [[row.id, row] as const, [row.handle ?? row.id, row] as const]));
}
