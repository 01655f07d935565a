import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { absent, found } from '../../kernel/upstream-result.ts';
import { findLostLegSince, getPayoutStep, isAtBank, payoutStepRow } from './queries.ts';
import { recordStep } from './store.ts';

const reversal = payoutStepRow.omit({ subaccountUuid: true }).extend({ transferId: z.string() });

/**
 * Takes the money of one payout back from the trader's account, with the intent's id as idempotency key. Not if its bank has the money, because
 * it kept it meanwhile, or may have it: a restored database may have lost that it was paid out.
 */
export const reverse = defineProcessorIntent({
  kind: 'payouts/reverse',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ reversal }),

  async prepare({ id }, { db, processor }: ProcessorDeps) {
    const step = await getPayoutStep(db, id);
    if (await isAtBank(db, step.payoutId)) return { fail: { code: 'V2_PAYOUT_NOT_STRANDED' } };
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

  mayRepeat: async ({ reversal }, { db }) => ((await isAtBank(db, reversal.payoutId)) ? absent : found(null)),

  record: ({ intent, payload: { reversal } }, made, { db }) =>
    recordStep(db, intent, { payoutId: reversal.payoutId, step: 'reversal' }, made),
});
