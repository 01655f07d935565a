import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { NewIntent } from '../intents/accept.ts';
import { batchOf } from '../intents/settle.ts';
import type { IntentId, OrderUuid } from '../kernel/ids.ts';
import type { Comparison, WantedEntry } from './exits.ts';
import type { WantedRow } from './queries.ts';

const nothing = z.object({});
const traderRow = z.object({ trader: z.string() });
const notedRow = z.object({ noted: z.enum(['told', 'suspected', 'settled', 'overtaken']) });

const HOLD_S = 60; // far longer than a comparison takes: another process takes up what a dead one has left

/**
 * Takes at most `most` traders of whose wanted exits at a venue a comparison is due, mostly those first that may have changed; owners
 * take turns. They are left to nobody else for a minute, unless something changes.
 */
export const takeTradersDue = (db: Db, venue: string, most: number): Promise<readonly string[]> =>
  db.anyFirst(sql.prepared('take_traders_due', traderRow)`
    select t.trader
    from take_traders_due(${venue}, ${most}, ${HOLD_S}) t (trader)`);

/**
 * What follows from a comparison: the entries that are still wanted, the orders that lack an exit (`lacking`), for how long reads must lack an exit
 * before it counts as missing, and when the next comparison is due. `repair`: the id of the intent that the caller is about to submit to put the
 * missing exits back.
 */
type Following = {
  wanted: readonly WantedEntry[];
  lacking: readonly OrderUuid[];
  confirmS: number;
  nextS: number;
  repair: IntentId | null;
};

/**
 * Records a comparison and emits what it changes. For an unprotected position: `told` (its owner is notified) once reads have lacked an exit for
 * `confirmS`, before that `suspected`. `overtaken`: something has changed since the row was read, and nothing was written.
 */
export const noteComparison = (
  db: Db,
  venue: string,
  { trader, pair, version }: Pick<WantedRow, 'trader' | 'pair' | 'version'>,
  comparison: Comparison,
  { wanted, lacking, confirmS, nextS, repair }: Following,
): Promise<z.infer<typeof notedRow>['noted']> =>
  db.oneFirst(sql.prepared('note_comparison', notedRow)`
    select note_comparison(${venue}, ${trader}, ${pair}, ${version}, ${JSON.stringify(wanted)}::jsonb,
      ${JSON.stringify({ ...comparison, lacking })}::jsonb, ${confirmS}, ${nextS}, ${repair}) as noted`);

/** Makes the comparison of a pair due again in `inS`, because records were incomplete, unless it is due earlier or nothing is wanted any more. */
export async function compareAgain(
  db: Db,
  { venue, trader, pair }: Pick<WantedRow, 'venue' | 'trader' | 'pair'>,
  inS: number,
): Promise<void> {
  await db.query(sql.prepared('compare_again', nothing)`
    update wanted_exits
    set due_at = least(due_at, now() + make_interval(secs => ${inS}))
    where venue = ${venue} and trader = ${trader} and pair = ${pair} and due_at is not null`);
}

/**
 * Whether complete records have not shown the position of a pair for `forS`, which is noted; until then the pair is compared again in
 * `againS`. False too if something has changed since the row was read.
 */
export const hasStayedUnseen = async (
  db: Db,
  { venue, trader, pair, version }: Pick<WantedRow, 'venue' | 'trader' | 'pair' | 'version'>,
  { forS, againS }: { forS: number; againS: number },
): Promise<boolean> =>
  (await db.maybeOneFirst(sql.prepared('note_unseen', z.object({ has_stayed: z.boolean() }))`
    update wanted_exits w
    set seen = w.seen || jsonb_build_object('unseen_since', coalesce(w.seen -> 'unseen_since', to_jsonb(extract(epoch from now())))),
      due_at = least(w.due_at, now() + make_interval(secs => ${againS}))
    where w.venue = ${venue} and w.trader = ${trader} and w.pair = ${pair} and w.version = ${version}
    returning extract(epoch from now()) - (w.seen ->> 'unseen_since')::double precision >= ${forS} as has_stayed`)) ??
  false;

/** Submits an intent for which no caller waits: one that puts exits back, or a follow-up. Safe to repeat with its id. */
export async function submitUnasked(db: Db, intent: NewIntent): Promise<void> {
  await db.query(
    sql.prepared('submit_unasked', nothing)`select a.verdict from accept_intents(${batchOf(intent)}::jsonb) a`,
  );
}

/** Plans the next comparison at a venue for when the first is due, and not before `leastS`. None if nothing is wanted there. */
export async function planNextComparison(db: Db, venue: string, leastS: number): Promise<void> {
  await db.query(sql.prepared('plan_next_comparison', nothing)`select plan_next_comparison(${venue}, ${leastS})::text`);
}

/** Has the wanted exits of a trader compared at once: a read has shown something else than before. No effect if none are wanted. */
export async function exitsMayDiffer(db: Db, venue: string, trader: string): Promise<void> {
  await db.query(sql.prepared('exits_may_differ', nothing)`select exits_may_differ(${venue}, ${trader})`);
}
