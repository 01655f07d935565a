import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { closeAsUnreadable } from '../payments/commands.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyVerification } from './store.ts';

/** What the handler of an event needs. */
export type NotifiedDeps = { db: Db; log: Pick<Logger, 'error'> };

/** Applies one stored event about a verification. Safe to repeat, and independent of the order of events. */
export async function handleVerificationEvent(eventId: string, { db, log }: NotifiedDeps): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (event?.fact.about === 'verification') await applyVerification(db, event.fact, event.said_at_ms, eventId);
  if (event?.fact.about === 'unreadable') await closeAsUnreadable(db, log, eventId);
}
