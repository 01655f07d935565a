import type { Logger } from 'pino';
import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { EventPage, Fact, MoneyMade, OwnAccount, ProcessorEvent } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { idSchema } from '../../kernel/ids.ts';
import type { Tier } from './queries.ts';

const takenRow = z.object({ event_id: z.string() });

const batchOf = (events: readonly ProcessorEvent[]): string =>
  JSON.stringify(events.map(({ id, type, atMs, fact }) => ({ id, type, said_at_ms: atMs, fact })));

/**
 * Stores events that are new and queues the tasks that apply those about our objects, in one commit. Events about
 * objects of others are stored and not read again. Returns those that are to be applied.
 */
export const takeEvents = (db: Db, events: readonly ProcessorEvent[], source: 'notified' | 'listed' = 'notified') =>
  db.any(sql.prepared('take_processor_events', takenRow)`
    select t.event_id
    from take_processor_events(${batchOf(events)}::jsonb, ${source}) t`);

/** As `takeEvents`, for a page of the processor's list: in the same commit the sweep moves behind the page. */
export const takePage = (db: Db, sweep: number, { events, next }: EventPage) =>
  db.any(sql.prepared('take_event_page', takenRow)`
    select t.event_id
    from take_event_page(${sweep}, ${batchOf(events)}::jsonb, ${next}) t`);

const eventRow = z.object({
  id: z.string(),
  type: z.string(),
  said_at_ms: z.number(),
  fact: z.custom<Fact>(),
  is_open: z.boolean(),
});

/** A stored event of the processor. `said_at_ms` is by the processor's clock. */
export type StoredEvent = z.infer<typeof eventRow>;

/** The dependencies of `handleEvent`. */
export type NotifiedDeps = { db: Db; log: Pick<Logger, 'error'> };

/** What became of an event. `not_ours`: no row of ours names its object; the event is handled again if a row names it later. */
export type Outcome = 'applied' | 'stale' | 'not_ours' | 'unreadable';

/**
 * Applies one stored event exactly once and closes it, in one transaction, however many workers run it. An event about an object of ours that cannot
 * be applied is listed, logged as an alert, and blocks its object until an operator closes it. Locks the event, then what `apply` locks.
 */
export const handleEvent = (
  eventId: string,
  { db, log }: NotifiedDeps,
  apply: (tx: DatabaseTransactionConnection, event: StoredEvent) => Promise<Outcome>,
): Promise<void> =>
  db.transaction(async (tx) => {
    const event = await tx.maybeOne(sql.prepared('lock_event', eventRow)`
      select e.id, e.type, extract(epoch from e.said_at)::double precision * 1000 as said_at_ms, e.fact, e.acted_at is null as is_open
      from processor_events e
      where e.id = ${eventId}
      for no key update`); // no condition that it is open: a plan cached while none was would read all open events
    if (!event?.is_open) return;
    const outcome = event.fact.about === 'unreadable' ? 'unreadable' : await apply(tx, event);
    await tx.query(sql.prepared('close_event', z.object({}))`select close_event(${eventId}, ${outcome})`);
    if (outcome === 'unreadable')
      log.error(
        { alert: 'processor_event_unreadable', event_id: eventId },
        'an event was not applied; operator action required',
      );
  });

const sweepRow = z.object({ sweep: z.number(), since_ms: z.number(), after_event: z.string().nullable() });

/** The sweep over the processor's list of events that is still to be read: one that was begun, else a new one. */
export const openSweep = (db: Db, { firstMs, overlapMs }: { firstMs: number; overlapMs: number }) =>
  db.one(sql.type(sweepRow)`
    select s.sweep, extract(epoch from s.since)::double precision * 1000 as since_ms, s.after_event
    from open_event_sweep(${firstMs / 1000}, ${overlapMs / 1000}) s`);

/** Creates or changes a tier. Existing payments and accounts keep the terms they were sold under. */
export async function saveTier(
  db: Pick<Db, 'query'>,
  tier: Omit<Tier, 'active'> & { active?: boolean },
): Promise<void> {
  await db.query(sql.type(z.object({}))`
    insert into tiers (id, market, asset_class, account_size, amount_cents, currency, active)
    values (${tier.tier_id}, ${tier.market}, ${tier.asset_class}, ${tier.account_size}, ${tier.amount_cents}, ${tier.currency},
      ${tier.active ?? true})
    on conflict (id) do update
    set market = excluded.market, asset_class = excluded.asset_class, account_size = excluded.account_size,
      amount_cents = excluded.amount_cents, currency = excluded.currency, active = excluded.active, updated_at = now()`);
}

const lostRow = z.object({
  kind: z.enum(['payment', 'transfer']),
  processor_id: z.string(),
  subject_id: z.string(),
  amount_cents: z.number(),
  currency: z.string(),
  status: z.string().nullable(),
  user_id: idSchema.user.nullable(),
});

/**
 * Which of the processor's payments and transfers no intent of this database moved, and no payout here names. They are kept for operators, and a
 * transfer counts as paid.
 */
export const keepLostMoney = (db: Db, made: MoneyMade[]): Promise<readonly z.infer<typeof lostRow>[]> =>
  db.any(sql.type(lostRow)`
    select kind, processor_id, subject_id, amount_cents, currency, status, user_id
    from keep_lost_money(${JSON.stringify(made)}::jsonb)`);

const accountRow = z.object({ id: z.string(), is_live: z.boolean() });

/** The accounts of the processor in which the payments of this database are. While there is none, this one is noted. */
export async function listOwnAccounts(
  db: Db,
  { id, isLive }: OwnAccount,
): Promise<readonly z.infer<typeof accountRow>[]> {
  await db.query(sql.type(z.object({}))`
    insert into processor_accounts (id, is_live)
    select ${id}, ${isLive}
    where not exists (select from processor_accounts)
    on conflict do nothing`);
  return db.any(sql.type(accountRow)`select a.id, a.is_live from processor_accounts a`);
}
