import type { Db } from '../../db/pool.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyVerification } from './store.ts';

/** Applies one stored event about a verification. Safe to repeat, and independent of the order of events. */
export async function handleVerificationEvent(eventId: string, { db }: { db: Db }): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (event?.fact.about === 'verification') await applyVerification(db, event.fact, event.said_at_ms, eventId);
}
