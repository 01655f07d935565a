import { sql } from 'slonik';
import { z } from 'zod';
import type { Hotkey } from '../kernel/ids.ts';
import type { SharedSlots } from '../kernel/shared-upstream.ts';
import type { Db } from './pool.ts';

const taken = z.object({ lease: z.string().nullable() });
const held = z.object({ is_held: z.boolean() });

/** The slots for look-ups at the miner of an entity, which all processes share. */
export const lookUpSlots = (db: Db, entityHotkey: Hotkey, count: number): SharedSlots =>
  slotsAt(db, `look-ups:${entityHotkey}`, count);

/** The one slot of the process that follows the stream at an address. */
export const streamSlot = (db: Db, url: string): SharedSlots => slotsAt(db, `stream:${url}`, 1);

const slotsAt = (db: Db, upstream: string, count: number): SharedSlots => ({
  count,
  take: (forMs) =>
    db.oneFirst(sql.prepared('claim_look_up_slot', taken)`
        select claim_look_up_slot(${upstream}, ${count}, ${forMs / 1000}) lease`),
  hold: (lease, forMs) =>
    db.oneFirst(sql.prepared('hold_look_up_slot', held)`
        select hold_look_up_slot(${upstream}, ${lease}, ${forMs / 1000}) is_held`),
  async release(lease) {
    await db.query(sql.prepared('release_look_up_slot', z.object({}))`
        select release_look_up_slot(${upstream}, ${lease})::text`);
  },
});
