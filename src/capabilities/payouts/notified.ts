import type { Db } from '../../db/pool.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyEvent } from './reports/store.ts';

/**
 * Applies one stored event about a payout or a trader's account. Safe to repeat, and independent of the order of
 * events.
 */
export async function handlePayoutEvent(eventId: string, { db }: { db: Db }): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (!event) return;
  const { fact } = event;
  if (fact.about === 'payout' || fact.about === 'transfer' || fact.about === 'account')
    await applyEvent(db, { ...event, fact });
}
