import type { Task } from '../../src/intents/task.ts';
import { applyVerification } from '../../src/kyc/outcomes.ts';
import { findOpenEvent } from '../../src/payments/queries.ts';

/** Acts on one event about a verification, once, in whatever order events come. */
const notified: Task<{ event_id: string }> = async ({ event_id }, { db }) => {
  const event = await findOpenEvent(db, event_id);
  if (event?.fact.about === 'verification') await applyVerification(db, event.fact, event.said_at_ms, event_id);
};

export default notified;
