import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';

const spanRow = z.object({ read_until_ms: z.number() });

/** Until when the changes of the platform's balance were read (epoch ms); null: never. */
export const findProvenUntil = (db: Db): Promise<number | null> =>
  db.maybeOneFirst(sql.type(spanRow)`
    select extract(epoch from p.read_until)::double precision * 1000 as read_until_ms
    from balance_proofs p`);

const accountRow = z.object({ id: z.string(), processor_account_id: z.string() });

/** Payout accounts that have received money, by id, after the one with the id `after`. */
export const listProvable = (db: Db, after: string, most: number): Promise<readonly z.infer<typeof accountRow>[]> =>
  db.any(sql.type(accountRow)`
    select c.id, c.processor_account_id
    from connect_accounts c
    where c.id > ${after} and exists (
      select
      from payouts p
      where p.user_id = c.user_id and p.connect_account_id = c.id and p.processor_transfer_id is not null
    )
    order by c.id
    limit ${most}`);

const differenceRow = z.custom<components['schemas']['LedgerDifference']>();

/** Where the ledger and the processor differ, each with the safe action, longest first. */
export const listDifferences = (db: Db): Promise<readonly z.infer<typeof differenceRow>[]> =>
  db.any(sql.type(differenceRow)`
    select d.subject, d.app_id, d.user_id, d.processor_object, d.place, d.currency, d.posted, d.shown, d.since, d.safe_action
    from ops.ledger_differences d
    order by d.since, d.subject, d.currency`);
