import { z } from 'zod';
import { idSchema } from '../kernel/ids.ts';

/**
 * Exits of a position: prices and size are decimals. `trailing_stop`: as the venue's order states it. `size`: what they close;
 * null if it is the whole position or not known.
 */
export const exits = z.object({
  take_profit: z.string().nullable(),
  stop_loss: z.string().nullable(),
  trailing_stop: z.record(z.string(), z.unknown()).nullable(),
  size: z.string().nullable(),
});

export type Exits = z.infer<typeof exits>;

/** Exits that an accepted command wants. `waits`: until its order is filled. */
export type NewExits = Exits & { waits?: true };

/** A recorded entry of wanted exits. `version`: the position of its command among all intents. `owner`: who wants them; absent in older entries. */
export const wantedEntry = exits.extend({
  order_uuid: idSchema.order,
  version: z.number(),
  owner: idSchema.owner.optional(),
  waits: z.boolean().optional(),
});

export type WantedEntry = z.infer<typeof wantedEntry>;

/** Why a position has become unprotected or protected. */
export type ProtectionReason =
  | 'exits_missing'
  | 'exits_cancelled'
  | 'exits_rejected'
  | 'exits_live'
  | 'position_closed'
  | 'exits_withdrawn';

/**
 * What a comparison of wanted exits with those that live showed. `unprotected`: a position is open, and complete reads lack a
 * wanted exit of it. `message`: the reason in words. `ended`: when exits ended of which the venue has shown the end (epoch ms), by their
 * names: a later read in which one lives is older.
 */
export type Comparison = {
  state: 'unprotected' | 'protected' | 'closed';
  side: 'long' | 'short' | null;
  size: string | null;
  live: Exits[];
  reason: ProtectionReason;
  message: string | null;
  ended?: Record<string, number>;
};

/**
 * What complete records show of the exits that are wanted in a pair: `wanted` are those that still are, `missing` those of them
 * that do not live. `isCertain`: the venue has said that it ended them, or their position, so no second look is needed.
 */
export type Compared = { comparison: Comparison; wanted: WantedEntry[]; missing: WantedEntry[]; isCertain: boolean };
