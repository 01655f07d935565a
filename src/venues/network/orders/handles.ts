import type { Db } from '../../../db/pool.ts';
import type { Hotkey, OwnerId } from '../../../kernel/ids.ts';
import { listHandles } from '../../queries.ts';
import type { Terms } from './rules.ts';

/** The terms with the venue's ids of brackets that the caller names. One that is not an order of the trader here keeps its name. */
export async function withHandles(
  db: Db,
  of: { owner: OwnerId; trader: Hotkey },
  { bracket_orders, ...terms }: Terms,
): Promise<Terms> {
  if (bracket_orders === undefined) return terms;
  const handles = await listHandles(
    db,
    of,
    bracket_orders.flatMap(({ order_uuid }) => order_uuid ?? []),
  );
  return {
    ...terms,
    bracket_orders: bracket_orders.map((entry) => {
      const handle = entry.order_uuid && handles.get(entry.order_uuid.toLowerCase());
      return handle === undefined ? entry : { ...entry, order_uuid: handle };
    }),
  };
}
