import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import type { PaymentId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { readingTime } from '../../kernel/work.ts';
import { findPayment } from './queries.ts';
import { alertIfAmountDiffers, applyPayment } from './updates.ts';

/** What reading a payment needs. */
export type ReadDeps = {
  db: Db;
  sealer: Sealer;
  processor: Processor;
  config: { ACCOUNT_DEADLINE_MS: number };
  log: Pick<Logger, 'error'>;
};

/** Reads one open payment at the processor and applies its state. If it cannot be read, a later run reads it again. */
export async function readPayment(paymentId: PaymentId, deps: ReadDeps): Promise<void> {
  const payment = await findPayment(deps.db, paymentId);
  if (!payment?.processor_payment_intent_id) return;
  const readAt = readingTime();
  const reading = await deps.processor.findPayment(payment.processor_payment_intent_id);
  if (reading.kind !== 'found') return;
  const applied = await applyPayment(deps, reading.data, readAt, { deadlineMs: deps.config.ACCOUNT_DEADLINE_MS });
  alertIfAmountDiffers(deps.log, applied, { payment_id: paymentId });
}
