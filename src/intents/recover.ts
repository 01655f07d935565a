import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

const presumedRow = z.object({ kind: z.string(), intents: z.number() });

/**
 * Prepares a database that was restored from a backup of `since`: every open intent that it shows as unsent is looked for
 * at its upstream and never sent. Returns their numbers by kind. No worker may run meanwhile.
 */
export const recoverSince = (db: Db, since: Date): Promise<readonly z.infer<typeof presumedRow>[]> =>
  db.any(sql.type(presumedRow)`select kind, intents from recover_since(${since.toISOString()}::timestamptz)`);

/** Which of these ids of a venue's orders no intent of this database has. They are kept: a retry under one is looked for, never sent. */
export const keepLostOrders = (db: Db, ids: string[]): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    with lost as (
      select distinct u.id
      from unnest(${sql.array(ids, 'uuid')}) u (id)
      where not exists (select from intents i where i.id = u.id)
    ), kept as (
      insert into lost_orders (id)
      select l.id
      from lost l
      on conflict do nothing
    )
    select l.id::text as id
    from lost l
    order by l.id`);

const tradersRow = z.object({ hotkeys: z.array(z.string()), wallets: z.array(z.string()) });

/** All accounts at the venues that this database knows: subaccounts of an entity, and enrolled wallets. */
export const listTraders = (db: Db, entity: string): Promise<z.infer<typeof tradersRow>> =>
  db.one(sql.type(tradersRow)`
    select array(select s.synthetic_hotkey from subaccounts s where s.entity_hotkey = ${entity}) as hotkeys,
      array(select distinct e.ex_wallet from enrollments e) as wallets`);
