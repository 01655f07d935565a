import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordRefund } from '../../src/payments/outcomes.ts';
import { findPayment } from '../../src/payments/queries.ts';
import { processorOf } from '../../src/runtime.ts';

type Sent = { paymentId: string; processorId: string };

/** Gives back the money of one payment, under the intent's id as idempotency key. */
const refund: Task = ({ intent_id }, runtime) =>
  carryOut<Sent, { refundId: string; refundedCents: number }>(runtime, intent_id, {
    async prepare({ asked }) {
      const payment = await findPayment(runtime.db, String(asked.payment_id));
      const processorId = payment?.processor_payment_intent_id;
      if (!payment || !processorId) return { problem: { code: 'V2_PAYMENT_NOT_REFUNDABLE' } };
      return { send: { paymentId: payment.id, processorId } };
    },
    send: (sent) => processorOf(runtime).refund(sent, intent_id),
    record: (intent, { processorId }, answer) => recordRefund(runtime.db, intent, processorId, answer),
  });

export default refund;
