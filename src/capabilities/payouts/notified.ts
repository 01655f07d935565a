import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { closeAsUnreadable } from '../payments/commands.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyEvent } from './reports/store.ts';

/** What the handler of an event needs. */
export type NotifiedDeps = { db: Db; log: Pick<Logger, 'error'> };

/**
 * Applies one stored event about a payout or a trader's account. Safe to repeat, and independent of the order of
 * events.
 */
export async function handlePayoutEvent(eventId: string, { db, log }: NotifiedDeps): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (!event) return;
  const isApplied = event.fact.about !== 'unreadable' && (await applyEvent(db, event));
  if (!isApplied) await closeAsUnreadable(db, log, eventId);
}
