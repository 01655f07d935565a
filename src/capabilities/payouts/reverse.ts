import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { getPayoutStep } from './queries.ts';
import { recordStep } from './store.ts';

const reversal = z.object({
  payoutId: idSchema.payout,
  transferId: z.string(),
  amountCents: z.number(),
  currency: z.string(),
  accountId: z.string(),
});

/** Takes the money of one payout back from the trader's account, with the intent's id as idempotency key. */
export const reverse = defineProcessorIntent({
  kind: 'payouts/reverse',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ reversal }),

  prepare: async ({ id }, { db }: ProcessorDeps) => ({
    send: { reversal: reversal.parse(await getPayoutStep(db, id)) },
  }),

  call: (payload, processor, key) => processor.reverse(payload.reversal, key),

  find: ({ reversal }, processor, mark) => processor.findMovement({ ...reversal, ...mark, step: 'reversal' }),

  record: ({ intent, payload: { reversal } }, made, { db }) =>
    recordStep(db, intent, { payoutId: reversal.payoutId, step: 'reversal' }, made),
});
