import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { getNewPayment, newPayment } from './queries.ts';
import { recordCheckout } from './store.ts';

type Deps = ProcessorDeps & { sealer: Sealer };

/** Creates one payment intent at the processor, with the intent's id as idempotency key. */
export const checkout = defineProcessorIntent({
  kind: 'payments/checkout',
  retention: 'with_money',
  request: z.object({ payment_id: idSchema.payment }),
  payload: z.object({ payment: newPayment }),

  prepare: async ({ request }, { db }: Deps) => ({ send: { payment: await getNewPayment(db, request.payment_id) } }),

  call: ({ payment }, processor, key) => processor.createPayment(payment, key),

  find: (_payload, processor, sent) => processor.findCheckout(sent),

  record: ({ intent, payload }, made, deps) => recordCheckout(deps, intent, payload.payment.paymentId, made),
});
