import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { findPayment } from './queries.ts';
import { recordRefund } from './store.ts';

/** Refunds one payment, with the intent's id as idempotency key. */
export const refund = defineProcessorIntent({
  kind: 'payments/refund',
  retention: 'with_money',
  request: z.object({ payment_id: idSchema.payment }),
  payload: z.object({ paymentId: idSchema.payment, processorId: z.string() }),

  async prepare({ request }, { db }: ProcessorDeps) {
    const payment = await findPayment(db, request.payment_id);
    const processorId = payment?.processor_payment_intent_id;
    if (!payment || !processorId) return { fail: { code: 'V2_PAYMENT_NOT_REFUNDABLE' } };
    return { send: { paymentId: payment.id, processorId } };
  },

  call: (payload, processor, key) => processor.refund(payload, key),

  find: ({ processorId }, processor, { key }) => processor.findRefund({ processorId, key }),

  record: ({ intent, payload }, made, { db }) => recordRefund(db, intent, payload.paymentId, made),
});
