import type { Task } from '../../src/intents/task.ts';
import { applyEvent } from '../../src/payments/outcomes.ts';
import { findOpenEvent } from '../../src/payments/queries.ts';

/** Acts on one event about a payment, once, in whatever order events come. */
const notified: Task<{ event_id: string }> = async ({ event_id }, { db, config, log }) => {
  const event = await findOpenEvent(db, event_id);
  if (!event) return;
  const { amountDiffers } = await applyEvent(db, event, { deadlineMs: config.ACCOUNT_DEADLINE_MS });
  if (amountDiffers) log.error({ alert: 'paid_amount_differs', event_id }, 'no account was made; operators must look');
};

export default notified;
