import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { isUuid } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const orderRow = z.custom<components['schemas']['OrderOfTrader']>();

/** An order in the form shown to operators, without its terms. */
export type OrderOfTrader = z.infer<typeof orderRow>;

/** Written out as literals, so that any plan can use the matching partial index. */
const states = {
  any: sql.fragment`true`,
  open: sql.fragment`o.order_id = any (array(select q.id from intents q where q.phase = 'pending' or q.phase = 'in_doubt'))`,
  resting: sql.fragment`o.is_resting`,
  filled: sql.fragment`o.lifecycle = 'filled'`,
  cancelled: sql.fragment`o.lifecycle = 'cancelled'`,
  failed: sql.fragment`o.state = 'failed'`,
  expired: sql.fragment`o.state = 'expired'`,
};

type Filter = PageRequest & { trader: string; state: keyof typeof states; from: string | null; to: string | null };

/** The orders of a trader in a state, accepted since `from` and before `to`, newest first, after `cursor`. */
export const listOrdersBy = (
  db: Db,
  { trader, state, from, to, cursor, limit }: Filter,
): Promise<readonly OrderOfTrader[]> =>
  db.any(sql.type(orderRow)`
    select o.order_id, o.given_id, o.venue, o.owner, o.trader, o.pair, o.state, o.lifecycle, o.problem_code, o.created_at, o.settled_at
    from ops.orders o
    where o.trader = ${trader} and ${states[state]}
      and o.created_at >= coalesce(${from}::timestamptz, '-infinity') and o.created_at < coalesce(${to}::timestamptz, 'infinity')
      and (${cursor}::uuid is null or (o.created_at, o.order_id) < (
        select c.created_at, c.order_id
        from ops.orders c
        where c.order_id = ${cursor}::uuid
      ))
    order by o.created_at desc, o.order_id desc
    limit ${limit}`);

/** Whether there is such an order. */
export const isOrder = async (db: Db, id: string): Promise<boolean> =>
  isUuid(id) && db.exists(sql.unsafe`select from ops.orders o where o.order_id = ${id}::uuid`);
