import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { IntentOf } from '../../../intents/define.ts';
import { succeedTogether, succeedWith } from '../../../intents/settle.ts';
import type { Hotkey, IntentId, OrderUuid } from '../../../kernel/ids.ts';
import type { NewExits } from '../../exits.ts';
import type { Executed, Signal } from '../adapter/signal-types.ts';
import type { OrderResult } from './calls.ts';
import type { Lifecycle } from './outcome.ts';
import { type Protection, sizeOf, type Terms } from './rules.ts';
import { exitsAfter } from './wanted.ts';

/**
 * Ends a placement and records lifecycle, execution and protection of its order, and the exits that it wants, if any. Concurrent
 * placements share a commit.
 */
export const recordPlacement = succeedTogether<{
  lifecycle?: Lifecycle;
  executed: Executed | null;
  protection?: Protection; // none: the order carries no exits
  exits?: NewExits[];
}>('record_placements');

/**
 * Ends a cancellation and marks the order `target` as cancelled, or as filled if it was filled first. `exits`: those that are still
 * wanted. False: the claim is lost, and nothing was written.
 */
export const recordCancellation = (
  db: Db,
  intent: IntentOf<unknown>,
  target: OrderUuid,
  { result, lifecycle, exits }: { result: OrderResult; lifecycle: Lifecycle; exits: NewExits[] },
): Promise<boolean> =>
  succeedWith(
    db,
    'record_cancellation',
    intent,
    result,
    changed({ id: target, lifecycle, executed: result.executed, exits, by_intent: intent.id }),
  );

/**
 * Ends an edit and records the new `terms` of the order `target`, and how the edit ended it, if it did. False: the claim
 * is lost, and nothing was written.
 */
export const recordEdit = (
  db: Db,
  intent: IntentOf<unknown>,
  { result, lifecycle }: { result: OrderResult; lifecycle: Lifecycle },
  { target, terms }: { target: OrderUuid; terms: Terms },
): Promise<boolean> =>
  succeedWith(
    db,
    'record_edit',
    intent,
    result,
    changed({
      ...{ id: target, terms, lifecycle, executed: result.executed, protection: protectionIn(result) },
      ...{ exits: exitsAfter(terms, lifecycle, result.executed), by_intent: intent.id },
    }),
  );

/**
 * Ends a protection and records the protecting order `bracket` in the state that the network has it in, and its exits as those that
 * are wanted: of the whole position, or beside others. `repairs`: the order whose exits it puts back. False: the claim is lost, and nothing was
 * written.
 */
export function recordProtection(
  db: Db,
  intent: IntentOf<{ trader: Hotkey; repairs?: { order_uuid: OrderUuid } | undefined }>,
  result: OrderResult,
  { bracket, signal, terms }: { bracket: OrderUuid; signal: Signal; terms: Terms },
): Promise<boolean> {
  const { lifecycle, executed } = result;
  const state = { lifecycle, executed, protection: protectionIn(result) };
  const exits = exitsAfter(terms, lifecycle ?? 'resting', executed);
  return succeedWith(
    db,
    'record_protection',
    intent,
    result,
    sql.fragment`record_bracket(${bracket}, ${intent.owner}, ${intent.request.trader}, ${signal.order_uuid}, ${JSON.stringify(terms)}::jsonb,
      ${JSON.stringify(state)}::jsonb, ${JSON.stringify(exits)}::jsonb, ${sizeOf(terms) === undefined}, ${intent.id},
      ${intent.request.repairs?.order_uuid ?? null})`,
  );
}

const protectionIn = ({ protection: state, protection_error: error }: OrderResult): Protection => ({ state, error });

/** How a resting order ended, or under which uuid the venue has it now, as a later read showed. */
export type OrderUpdate = {
  lifecycle: Lifecycle;
  handle: string;
  executed: Executed | null;
  protection: Protection | null;
};

/**
 * Records what a later read of the venue showed of a resting order with these terms. No effect if it does not rest any more, or an edit has been
 * recorded meanwhile: the exits that it wants are others then.
 */
export async function recordOrderUpdate(db: Db, orderId: OrderUuid, terms: Terms, noted: OrderUpdate): Promise<void> {
  const exits = exitsAfter(terms, noted.lifecycle, noted.executed);
  const update = changed({ ...noted, id: orderId, if_resting: true, if_terms: terms, exits });
  await db.query(sql.prepared('note_order', z.object({}))`
    with changed as materialized (
      select ${update} as closed
    )
    select emit_ended('{}', closed)::text
    from changed`);
}

/** An order that complete records lack has ended once they have lacked it for this time: a network that restarts has gaps. */
const ABSENT_FOR_S = 10;

/** Notes whether complete records lack a resting order. Resolves to whether they have lacked it for long enough to believe it. */
export const noteAbsence = (db: Db, orderId: OrderUuid, isAbsent: boolean): Promise<boolean> =>
  db.oneFirst(sql.prepared('note_absence', z.object({ has_ended: z.boolean() }))`
    select note_absence(${orderId}, ${isAbsent}, ${ABSENT_FOR_S}) as has_ended`);

/** The members of an order that change. */
type OrderChange = {
  id: OrderUuid;
  lifecycle: Lifecycle;
  handle?: string;
  terms?: Terms;
  executed: Executed | null;
  protection?: Protection | null;
  if_resting?: boolean;
  if_terms?: Terms;
  /**
   * The exits that are wanted from now on, by the intent `by_intent`; without it, a read has shown what became of the
   * order.
   */
  exits?: NewExits[];
  by_intent?: IntentId;
};

const changed = (change: OrderChange): FragmentSqlToken =>
  sql.fragment`change_orders(${JSON.stringify([change])}::jsonb)`;

/** Corrects the recorded protection of orders: failed where exits are missing, placed where all of them live. */
export async function recordProtectionShown(db: Db, orders: ReadonlyMap<OrderUuid, Protection>): Promise<void> {
  const changes = [...orders].map(([id, protection]) => ({ id, protection }));
  await db.query(
    sql.prepared(
      'record_protection_shown',
      z.object({}),
    )`select change_orders(${JSON.stringify(changes)}::jsonb)::text`,
  );
}

/** Records the sum of what was executed of an order that was filled once more, states what was added, and emits the change. */
export async function recordFilledAgain(db: Db, orderId: OrderUuid, executed: Executed): Promise<void> {
  await db.query(sql.prepared('record_filled_again', z.object({}))`
    select record_filled_again(${orderId}, ${JSON.stringify(executed)}::jsonb)::text`);
}
