import type { Task } from '../../src/intents/task.ts';
import { applyLook } from '../../src/payments/outcomes.ts';
import { findPayment } from '../../src/payments/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Looks at one open payment at the processor: what it shows counts as if we had been told. */
const look: Task<{ payment_id: string }> = async ({ payment_id }, runtime) => {
  const payment = await findPayment(runtime.db, payment_id);
  if (!payment?.processor_payment_intent_id) return;
  const lookedAt = Date.now();
  const seen = await processorOf(runtime).findPayment(payment.processor_payment_intent_id);
  if (seen.kind !== 'found') return; // it is looked at again
  const { amountDiffers } = await applyLook(runtime, seen.said, lookedAt, {
    deadlineMs: runtime.config.ACCOUNT_DEADLINE_MS,
  });
  if (amountDiffers)
    runtime.log.error({ alert: 'paid_amount_differs', payment_id }, 'no account was made; operators must look');
};

export default look;
