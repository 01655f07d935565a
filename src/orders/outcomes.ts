import { sql } from 'slonik';
import { z } from 'zod';
import type { Executed, Signal, SignalAccepted } from '../adapters/netvenue/types.ts';
import type { Db } from '../db/pool.ts';
import { recordNoAnswer } from '../intents/carry-out.ts';
import type { Intent, Problem } from '../intents/intent.ts';
import { fail, succeed, succeedTogether, succeedWith } from '../intents/settle.ts';
import type { Answer, Rejected } from '../kernel/answer.ts';
import { getTarget } from './queries.ts';
import { isOpen, rests, type Terms } from './rules.ts';

type NetworkAnswer = Answer<SignalAccepted>;
export type Lifecycle = 'resting' | 'filled' | 'cancelled';

/** What a network order verb ended with, as its result is shown. `processing_time` is the venue's own, in seconds. */
const resultOf = (orderUuid: string, said: SignalAccepted): Record<string, unknown> => ({
  order_uuid: orderUuid,
  processing_time: said.processingTimeS,
  message: said.note,
  executed: said.executed,
});

/** The venue repeats the order it accepted: one that waits there has sizes, and is executed only once it has a price. */
const unlessWaiting = (said: SignalAccepted): SignalAccepted =>
  said.executed?.price == null ? { ...said, executed: null } : said;

/** Records what the venue said to a placement. */
export async function recordPlacement(db: Db, intent: Intent, answer: NetworkAnswer): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { terms } = intent.asked as { terms: Terms }; // as placeOrder wrote it
  const said = rests(terms) ? unlessWaiting(answer.said) : answer.said;
  const lifecycle = rests(terms) ? 'resting' : 'filled';
  return placements(db, intent, resultOf(intent.id, said), { lifecycle, executed: said.executed });
}

const placements = succeedTogether<{ lifecycle: Lifecycle; executed: Executed | null }>(
  'record_placements',
  (data) => sql.fragment`
    update orders o
    set lifecycle = d.lifecycle, executed = nullif(d.executed, 'null'::jsonb)
    from settled s
    join jsonb_to_recordset(${data}::jsonb) as d (n integer, lifecycle text, executed jsonb) on d.n = s.n
    where o.id = s.id and s.ok`,
);

/** Records what the venue said to a cancellation of `target`. */
export async function recordCancellation(
  db: Db,
  intent: Intent,
  target: string,
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNoAbout(db, intent, target, answer);
  return succeedWith(
    db,
    'record_cancellation',
    intent,
    resultOf(target, unlessWaiting(answer.said)),
    sql.fragment`
      update orders
      set lifecycle = 'cancelled'
      where id = ${target} and (select ok from settled)`,
  );
}

/** Records what the venue said to an edit that makes `target` stand at `terms`. */
export async function recordEdit(
  db: Db,
  intent: Intent,
  { target, terms }: { target: string; terms: Terms },
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNoAbout(db, intent, target, answer);
  return succeedWith(
    db,
    'record_edit',
    intent,
    resultOf(target, unlessWaiting(answer.said)),
    sql.fragment`
      update orders
      set terms = ${JSON.stringify(terms)}::jsonb
      where id = ${target} and (select ok from settled)`,
  );
}

/** Records what the venue said to new protection. `bracket` is the id of the protecting order, an order of its own from now on. */
export async function recordProtection(
  db: Db,
  intent: Intent,
  { bracket, signal, terms }: { bracket: string; signal: Signal; terms: Terms },
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { trader } = intent.asked as { trader: string };
  return succeedWith(
    db,
    'record_protection',
    intent,
    resultOf(bracket, unlessWaiting(answer.said)),
    sql.fragment`
    insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
    select ${bracket}, 'netvenue', ${intent.owner}, ${trader}, ${terms.trade_pair}, ${signal.order_uuid},
      ${JSON.stringify(terms)}::jsonb, 'resting'
    from settled
    where ok
    on conflict (id) do update set terms = excluded.terms, lifecycle = 'resting'
    where orders.trader = excluded.trader`,
  );
}

/** Records that a position is proven closed, or what else the venue said. */
export const recordClose = (db: Db, intent: Intent, answer: NetworkAnswer): Promise<boolean> =>
  answer.kind === 'accepted' ? succeed(db, intent, resultOf(intent.id, answer.said)) : recordNo(db, intent, answer);

/** Notes what a resting order has become, as a later look at the venue showed it. */
export async function noteLifecycle(
  db: Db,
  orderId: string,
  lifecycle: Lifecycle,
  executed: Executed | null,
): Promise<void> {
  await db.query(sql.prepared('note_lifecycle', z.object({}))`
    update orders
    set lifecycle = ${lifecycle}, executed = coalesce(${json(executed)}, executed)
    where id = ${orderId} and lifecycle = 'resting'`);
}

const recordNo = (db: Db, intent: Intent, answer: Exclude<NetworkAnswer, { kind: 'accepted' }>): Promise<boolean> =>
  answer.kind === 'rejected' ? fail(db, intent, problemOf(answer)) : recordNoAnswer(db, intent, answer);

/** A venue that knows no order `target` may still come to: as long as the order itself is being looked up, it may yet rest. */
async function recordNoAbout(
  db: Db,
  intent: Intent,
  target: string,
  answer: Exclude<NetworkAnswer, { kind: 'accepted' }>,
): Promise<boolean> {
  if (answer.kind !== 'rejected' || answer.slug !== 'order_not_found') return recordNo(db, intent, answer);
  const { placement } = await getTarget(db, target);
  return isOpen(placement) ? fail(db, intent, { code: 'V1_ORDER_IN_DOUBT' }) : recordNo(db, intent, answer);
}

/** Our word for a venue's no. */
function problemOf({ slug, message, retryAfterS }: Rejected): Problem {
  if (slug === 'venue_auth') return { code: 'VENUE_AUTH' };
  if (slug === 'cooldown') return { code: 'VENUE_COOLDOWN', message, retry_after_s: retryAfterS ?? 1 };
  if (GONE.has(slug)) return { code: 'V1_ORDER_NOT_RESTING', reason: slug };
  return { code: 'VENUE_REJECTED', message, reason: slug };
}

const GONE = new Set(['order_not_found', 'order_filled', 'cannot_edit']);

const json = (value: unknown) => sql.fragment`nullif(${JSON.stringify(value)}::jsonb, 'null'::jsonb)`;
