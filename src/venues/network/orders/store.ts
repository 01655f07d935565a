import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { IntentOf } from '../../../intents/define.ts';
import { succeedTogether, succeedWith } from '../../../intents/settle.ts';
import type { Hotkey, OrderUuid } from '../../../kernel/ids.ts';
import type { Executed, Signal } from '../adapter/signal-types.ts';
import type { OrderResult } from './calls.ts';
import type { Lifecycle } from './outcome.ts';
import type { Protection, Terms } from './rules.ts';

/** Ends a placement and records lifecycle, execution and protection of its order. Concurrent placements share a commit. */
export const recordPlacement = succeedTogether<{
  lifecycle?: Lifecycle;
  executed: Executed | null;
  protection: Protection;
}>('record_placements');

/**
 * Ends a cancellation and marks the order `target` as cancelled, or as filled if it was filled first. False: the claim
 * is lost, and nothing was written.
 */
export const recordCancellation = (
  db: Db,
  intent: IntentOf<unknown>,
  target: OrderUuid,
  { result, lifecycle }: { result: OrderResult; lifecycle: Lifecycle },
): Promise<boolean> =>
  succeedWith(db, 'record_cancellation', intent, result, changed({ id: target, lifecycle, executed: result.executed }));

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
    changed({ id: target, terms, lifecycle, executed: result.executed, protection: protectionIn(result) }),
  );

/** Ends a protection and records the protecting order `bracket` in the state that the network has it in. False: the claim is lost, and nothing was written. */
export const recordProtection = (
  db: Db,
  intent: IntentOf<{ trader: Hotkey }>,
  result: OrderResult,
  { bracket, signal, terms }: { bracket: OrderUuid; signal: Signal; terms: Terms },
): Promise<boolean> =>
  succeedWith(
    db,
    'record_protection',
    intent,
    result,
    sql.fragment`record_bracket(${bracket}, ${intent.owner}, ${intent.request.trader}, ${signal.order_uuid}, ${JSON.stringify(terms)}::jsonb,
      ${JSON.stringify({ lifecycle: result.lifecycle, executed: result.executed, protection: protectionIn(result) })}::jsonb)`,
  );

const protectionIn = ({ protection: state, protection_error: error }: OrderResult): Protection => ({ state, error });

/** How a resting order ended, or under which uuid the venue has it now, as a later read showed. */
export type OrderUpdate = {
  lifecycle: Lifecycle;
  handle: string;
  executed: Executed | null;
  protection: Protection | null;
};

/** Records what a later read of the venue showed of a resting order. No effect if it does not rest any more. */
export async function recordOrderUpdate(db: Db, orderId: OrderUuid, noted: OrderUpdate): Promise<void> {
  const update = changed({ ...noted, id: orderId, if_resting: true });
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

/** What is to be other of an order. */
type OrderChange = {
  id: OrderUuid;
  lifecycle: Lifecycle;
  handle?: string;
  terms?: Terms;
  executed: Executed | null;
  protection?: Protection | null;
  if_resting?: boolean;
};

const changed = (change: OrderChange): FragmentSqlToken =>
  sql.fragment`change_orders(${JSON.stringify([change])}::jsonb)`;
