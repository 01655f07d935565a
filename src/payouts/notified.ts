import type { Db } from '../db/pool.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyEvent } from './store.ts';

/**
 * Applies one stored event about a payout or a trader's account. Safe to repeat, and independent of the order of
 * events.
 */
export async function handlePayoutEvent(eventId: string, { db }: { db: Db }): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (event?.fact.about !== 'payout' && event?.fact.about !== 'account') return;
  await applyEvent(db, { ...event, fact: event.fact });
}
