import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { findLostLegSince, getPayoutStep, payoutStepRow } from './queries.ts';
import { recordStep } from './store.ts';

const reversal = payoutStepRow.omit({ subaccountUuid: true }).extend({ transferId: z.string() });

/**
 * Takes the money of one payout back from the trader's account, with the intent's id as idempotency key. Not if its bank may have the money:
 * a restored database may have lost that it was paid out.
 */
export const reverse = defineProcessorIntent({
  kind: 'payouts/reverse',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ reversal }),

  async prepare({ id }, { db, processor }: ProcessorDeps) {
    const step = await getPayoutStep(db, id);
    const sinceMs = await findLostLegSince(db, step.payoutId);
    if (sinceMs !== null) {
      const paid = await processor.findMovement({ ...step, step: 'payout', key: id, isPresumed: true, sinceMs });
      if (paid.kind === 'unreadable') return { wait: { code: 'PROCESSOR_UNREADABLE' } };
      if (paid.kind === 'found') return { fail: { code: 'V2_PAYOUT_NOT_STRANDED' } };
    }
    return { send: { reversal: reversal.parse(step) } };
  },

  call: (payload, processor, key) => processor.reverse(payload.reversal, key),

  find: ({ reversal }, processor, mark) => processor.findMovement({ ...reversal, ...mark, step: 'reversal' }),

  record: ({ intent, payload: { reversal } }, made, { db }) =>
    recordStep(db, intent, { payoutId: reversal.payoutId, step: 'reversal' }, made),
});
