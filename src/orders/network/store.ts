import { sql } from 'slonik';
import { z } from 'zod';
import type { Executed, Signal } from '../../adapters/network/types.ts';
import type { Db } from '../../db/pool.ts';
import type { IntentOf } from '../../intents/define.ts';
import { succeedTogether, succeedWith } from '../../intents/store.ts';
import type { OrderUuid } from '../../kernel/ids.ts';
import type { Terms } from './rules.ts';
import type { OrderResult } from './verb.ts';

/** The lifecycle of a placed order. */
export type Lifecycle = 'resting' | 'filled' | 'cancelled';

/** Ends a placement and records lifecycle and execution of its order. Concurrent placements share a commit. */
export const recordPlacement = succeedTogether<{ lifecycle: Lifecycle; executed: Executed | null }>(
  'record_placements',
  (data) => sql.fragment`
    update orders o
    set lifecycle = d.lifecycle, executed = nullif(d.executed, 'null'::jsonb)
    from settled s
    join jsonb_to_recordset(${data}::jsonb) as d (n integer, lifecycle text, executed jsonb) on d.n = s.n
    where o.id = s.id and s.ok`,
);

/** Ends a cancellation and marks the order `target` as cancelled. False: the claim is lost, and nothing was written. */
export const recordCancellation = (
  db: Db,
  intent: IntentOf<unknown>,
  target: string,
  result: OrderResult,
): Promise<boolean> =>
  succeedWith(
    db,
    'record_cancellation',
    intent,
    result,
    sql.fragment`
      update orders
      set lifecycle = 'cancelled'
      where id = ${target} and (select ok from settled)`,
  );

/**
 * Ends an edit and records the new `terms` of the order `target`. False: the claim is lost, and nothing was written.
 */
export const recordEdit = (
  db: Db,
  intent: IntentOf<unknown>,
  result: OrderResult,
  { target, terms }: { target: string; terms: Terms },
): Promise<boolean> =>
  succeedWith(
    db,
    'record_edit',
    intent,
    result,
    sql.fragment`
      update orders
      set terms = ${JSON.stringify(terms)}::jsonb
      where id = ${target} and (select ok from settled)`,
  );

/** Ends a protection and records the protecting order `bracket`. False: the claim is lost, and nothing was written. */
export const recordProtection = (
  db: Db,
  intent: IntentOf<{ trader: string }>,
  result: OrderResult,
  { bracket, signal, terms }: { bracket: string; signal: Signal; terms: Terms },
): Promise<boolean> =>
  succeedWith(
    db,
    'record_protection',
    intent,
    result,
    sql.fragment`
    insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
    select ${bracket}, 'netvenue', ${intent.owner}, ${intent.request.trader}, ${terms.trade_pair}, ${signal.order_uuid},
      ${JSON.stringify(terms)}::jsonb, 'resting'
    from settled
    where ok
    on conflict (id) do update set terms = excluded.terms, lifecycle = 'resting'
    where orders.trader = excluded.trader`,
  );

/** Records how a resting order ended, as a later read of the venue showed. No effect if it does not rest any more. */
export async function noteLifecycle(
  db: Db,
  orderId: OrderUuid,
  lifecycle: Lifecycle,
  executed: Executed | null,
): Promise<void> {
  await db.query(sql.prepared('note_lifecycle', z.object({}))`
    update orders
    set lifecycle = ${lifecycle}, executed = coalesce(${json(executed)}, executed)
    where id = ${orderId} and lifecycle = 'resting'`);
}

const json = (value: unknown) => sql.fragment`nullif(${JSON.stringify(value)}::jsonb, 'null'::jsonb)`;
