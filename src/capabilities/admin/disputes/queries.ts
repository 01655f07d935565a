import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

const disputeRow = z.custom<components['schemas']['Dispute']>();

/** A dispute of a payment in the form shown to operators. */
export type Dispute = z.infer<typeof disputeRow>;

/** A position in the list: a dispute's id, and whether it needed a response when it was listed. */
type Place = { id: string; isOpen: boolean };

/** Disputes after a position: those that need a response first, then the newest. `isOpen`: only those that need a response. */
export const listDisputed = (
  db: Db,
  { isOpen, after, limit }: { isOpen: boolean; after: Place | null; limit: number },
): Promise<readonly Dispute[]> =>
  db.any(sql.type(disputeRow)`
    select d.dispute_id, d.payment_id, d.owner, d.user_id, d.email, d.prop_account_id, d.account_status, d.status, d.amount_cents,
      d.currency, d.made_at, d.said_at, d.needs_response, d.is_money_gone
    from ops.disputes d
    where (d.needs_response or not ${isOpen})
      and (${after?.id ?? null}::text is null or (d.needs_response, coalesce(d.made_at, d.said_at), d.dispute_id) < (
        select ${after?.isOpen ?? null}::boolean, coalesce(c.made_at, c.said_at), c.dispute_id
        from ops.disputes c
        where c.dispute_id = ${after?.id ?? null}
      ))
    order by d.needs_response desc, coalesce(d.made_at, d.said_at) desc, d.dispute_id desc
    limit ${limit}`);

/** Whether there is such a dispute. */
export const isDispute = (db: Db, id: string): Promise<boolean> =>
  db.exists(sql.unsafe`select from ops.disputes d where d.dispute_id = ${id}`);
