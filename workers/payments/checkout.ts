import type { NewPayment, PaymentSeen } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordCheckout } from '../../src/payments/outcomes.ts';
import { getNewPayment } from '../../src/payments/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Makes one payment intent at the processor, under the intent's id as idempotency key. */
const checkout: Task = ({ intent_id }, runtime) =>
  carryOut<{ payment: NewPayment }, PaymentSeen>(runtime, intent_id, {
    prepare: async ({ asked }) => ({ send: { payment: await getNewPayment(runtime.db, String(asked.payment_id)) } }),
    send: ({ payment }) => processorOf(runtime).createPayment(payment, intent_id),
    record: (intent, { payment }, answer) => recordCheckout(runtime, intent, payment.paymentId, answer),
  });

export default checkout;
