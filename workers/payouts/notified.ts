import type { Task } from '../../src/intents/task.ts';
import { findOpenEvent } from '../../src/payments/queries.ts';
import { applyEvent } from '../../src/payouts/outcomes.ts';

/** Acts on one event about a payout or a trader's account, once, in whatever order events come. */
const notified: Task<{ event_id: string }> = async ({ event_id }, { db }) => {
  const event = await findOpenEvent(db, event_id);
  if (event?.fact.about !== 'payout' && event?.fact.about !== 'account') return;
  await applyEvent(db, { ...event, fact: event.fact });
};

export default notified;
