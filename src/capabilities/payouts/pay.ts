import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { type IntentId, idSchema } from '../../kernel/ids.ts';
import { absent } from '../../kernel/upstream-result.ts';
import { findObstacle, getPayoutStep, isAtBank, payoutStepRow } from './queries.ts';
import { readAccount } from './read-account.ts';
import { delay, fixBankLeg, noteDelay, recordStep } from './store.ts';

type Deps = ProcessorDeps & { config: { PAYOUT_DESTINATION_HOLD_H: number } };

/**
 * Pays out one payout from the trader's account to its bank, with the intent's id as idempotency key: what that account
 * holds of the payout's transfer now, in the account's currency. Right before, it checks again what the request checked,
 * except the amount: that has left the platform already. A leg of unknown effect is repeated only while the account still
 * holds its amount and the bank has kept no earlier one.
 */
export const pay = defineProcessorIntent({
  kind: 'payouts/pay',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ transfer: payoutStepRow }),

  async prepare({ id, presumed_sent_at }, deps: Deps) {
    const step = await getPayoutStep(deps.db, id);
    const unread = await readAccount(deps, step.accountId);
    if (unread) return delay(deps.db, id, unread);
    const obstacle = await findObstacle(deps.db, step.payoutId, {
      earnedCents: null,
      holdH: deps.config.PAYOUT_DESTINATION_HOLD_H,
    });
    if (obstacle !== null) return { fail: { code: obstacle } };
    const verdict = await fixLeg(deps, id, step);
    if (verdict === 'fixed') return { send: { transfer: await getPayoutStep(deps.db, id) } };
    if (verdict === 'reversed') return { fail: { code: 'V2_PAYOUT_REVERSED' } };
    if (verdict === 'later' && presumed_sent_at === null) return { fail: { code: 'V2_PAYOUT_NOT_AVAILABLE' } };
    return delay(deps.db, id, UNREADABLE);
  },

  call: ({ transfer }, processor, key) => processor.payOut(transfer, key),

  onWait: noteDelay,

  find: ({ transfer }, processor, mark) => processor.findMovement({ ...transfer, ...mark, step: 'payout' }),

  async mayRepeat({ transfer }, { db, processor }) {
    if (await isAtBank(db, transfer.payoutId)) return absent;
    const holding = await processor.findHolding(transfer.transferId ?? '', transfer.accountId);
    if (holding.kind !== 'found') return holding;
    const { heldCents, currency } = holding.data;
    return heldCents >= transfer.amountCents && currency === transfer.currency ? holding : absent;
  },

  record: ({ intent, payload: { transfer } }, made, { db }) =>
    recordStep(db, intent, { payoutId: transfer.payoutId, step: 'payout' }, made),
});

const UNREADABLE = { code: 'PROCESSOR_UNREADABLE' } as const;

/** Fixes the leg by what the processor shows. `unreadable`: it shows nothing, or less than is known here. */
async function fixLeg(
  { db, processor }: Pick<ProcessorDeps, 'db' | 'processor'>,
  id: IntentId,
  { transferId, accountId }: z.infer<typeof payoutStepRow>,
) {
  const holding = await processor.findHolding(transferId ?? '', accountId);
  return holding.kind === 'found' ? fixBankLeg(db, id, holding.data) : 'unreadable';
}
