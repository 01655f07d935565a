import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Hotkey, type IntentId, idSchema } from '../kernel/ids.ts';

const presumedRow = z.object({ kind: z.string(), intents: z.number() });

/**
 * Prepares a database that was restored from a backup of `since`: every open intent that it shows as unsent is looked for
 * at its upstream and never sent. Returns their numbers by kind. No worker may run meanwhile. Does nothing once it was recovered and workers run.
 */
export const recoverSince = (db: Db, since: Date): Promise<readonly z.infer<typeof presumedRow>[]> =>
  db.any(sql.type(presumedRow)`select kind, intents from recover_since(${since.toISOString()}::timestamptz)`);

/** Which of these ids of a venue's orders no intent of this database has. They are kept: a retry under one is looked for, never sent. */
export const keepLostOrders = (db: Db, ids: IntentId[]): Promise<readonly IntentId[]> =>
  db.anyFirst(sql.type(z.object({ id: idSchema.intent }))`
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

const entityRow = z.object({ entity: idSchema.hotkey, hotkeys: z.array(idSchema.hotkey) });

/**
 * The entities at the network that this database knows, the platform's first, each with its subaccounts: also of tenants that
 * have none yet, or whose key was removed.
 */
export const listEntities = (db: Db, platform: Hotkey): Promise<readonly z.infer<typeof entityRow>[]> =>
  db.any(sql.type(entityRow)`
    with entities as (
      select ${platform}::text as entity
      union
      select s.entity_hotkey
      from subaccounts s
      union
      select a.entity_hotkey
      from apps a
      where a.network_key is not null
    )
    select e.entity, array(select s.synthetic_hotkey from subaccounts s where s.entity_hotkey = e.entity) as hotkeys
    from entities e
    order by e.entity <> ${platform}, e.entity`);

const walletRow = z.object({ wallet: idSchema.wallet, placed: z.array(idSchema.intent) });

/** The wallets of the exchange that this database knows, each with the intents that may have placed orders or exits of it. */
export const listWallets = (db: Db): Promise<readonly z.infer<typeof walletRow>[]> =>
  db.any(sql.type(walletRow)`
    select w.ex_wallet as wallet, coalesce(array_agg(i.id::text) filter (where i.id is not null), '{}') as placed
    from (select distinct e.ex_wallet from enrollments e) w
    left join intents i on i.lane = 'exvenue:' || w.ex_wallet and i.kind in ('exchange/place', 'exchange/protect')
    group by w.ex_wallet`);
