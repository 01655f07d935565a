import { sql } from 'slonik';
import { z } from 'zod';
import type { ProcessorEvent } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import type { Tier } from './queries.ts';

/** The task that handles a fact; null for facts that concern none of our records. */
const tasks: Record<ProcessorEvent['fact']['about'], string | null> = {
  payment: 'payments/notified',
  charge: 'payments/notified',
  verification: 'kyc/notified',
  account: 'payouts/notified',
  payout: 'payouts/notified',
  nothing: null,
};

/**
 * Stores events that are new and queues the tasks that handle them, in one commit. Returns the number of new events.
 */
export const takeEvents = (
  db: Db,
  events: readonly ProcessorEvent[],
  receivedBy: 'notified' | 'listed',
): Promise<number> => {
  const batch = events.map(({ id, type, atMs, fact }) => ({
    id,
    type,
    said_at_ms: atMs,
    fact,
    task: tasks[fact.about],
  }));
  return db.oneFirst(sql.prepared('take_processor_events', z.object({ count: z.number() }))`
    select take_processor_events(${JSON.stringify(batch)}::jsonb, ${receivedBy}) count`);
};

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
