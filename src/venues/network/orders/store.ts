import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { IntentOf } from '../../../intents/define.ts';
import { succeedTogether, succeedWith } from '../../../intents/settle.ts';
import type { Hotkey, OrderUuid } from '../../../kernel/ids.ts';
import type { Executed, Signal } from '../adapter/types.ts';
import type { Lifecycle } from './outcome.ts';
import type { Protection, Terms } from './rules.ts';
import type { OrderResult } from './verb.ts';

/** Ends a placement and records lifecycle, execution and protection of its order. Concurrent placements share a commit. */
export const recordPlacement = succeedTogether<{
  lifecycle: Lifecycle;
  executed: Executed | null;
  protection: Protection;
}>(
  'record_placements',
  (data) => sql.fragment`
    update orders o
    set lifecycle = d.lifecycle, executed = nullif(d.executed, 'null'::jsonb), protection = d.protection
    from settled s
    join jsonb_to_recordset(${data}::jsonb) as d (n integer, lifecycle text, executed jsonb, protection jsonb) on d.n = s.n
    where o.id = s.id`,
);

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
  succeedWith(
    db,
    'record_cancellation',
    intent,
    result,
    sql.fragment`
      update orders
      set lifecycle = ${lifecycle}, executed = coalesce(${json(result.executed)}, executed)
      where id = ${target}`,
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
    sql.fragment`
      update orders
      set terms = ${JSON.stringify(terms)}::jsonb, lifecycle = ${lifecycle}, executed = coalesce(${json(result.executed)}, executed)
      where id = ${target}`,
  );

/** Ends a protection and records the protecting order `bracket`. False: the claim is lost, and nothing was written. */
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
    sql.fragment`
    insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
    values (${bracket}, 'netvenue', ${intent.owner}, ${intent.request.trader}, ${terms.trade_pair}, ${signal.order_uuid},
      ${JSON.stringify(terms)}::jsonb, 'resting')
    on conflict (id) do update set terms = excluded.terms, lifecycle = 'resting'
    where orders.trader = excluded.trader`,
  );

/** How a resting order ended, or under which uuid the venue has it now, as a later read showed. */
export type Noted = {
  lifecycle: Lifecycle;
  handle: string;
  executed: Executed | null;
  protection: Protection | null;
};

/** Records what a later read of the venue showed of a resting order. No effect if it does not rest any more. */
export async function noteOrder(db: Db, orderId: OrderUuid, noted: Noted): Promise<void> {
  await db.query(sql.prepared('note_order', z.object({}))`
    update orders
    set lifecycle = ${noted.lifecycle}, handle = ${noted.handle}, executed = coalesce(${json(noted.executed)}, executed),
      protection = coalesce(${json(noted.protection)}, protection)
    where id = ${orderId} and lifecycle = 'resting'`);
}

const json = (value: unknown) => sql.fragment`nullif(${JSON.stringify(value)}::jsonb, 'null'::jsonb)`;
