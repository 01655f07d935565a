import { z } from 'zod';
import { amount, cents, code, currency, id, madeAt, madeOf, reading, reference } from './objects.ts';
import type { MovementSeen, PayoutSeen, TransferSeen } from './types.ts';

const payout = z
  .object({
    id,
    status: z.string().max(64),
    failure_code: code,
    amount,
    currency,
    reversed_by: reference.nullish(),
    original_payout: reference.nullish(),
  })
  .transform(
    (object): PayoutSeen => ({
      processorPayoutId: object.id,
      reversedBy: object.reversed_by ?? null,
      originalId: object.original_payout ?? null,
      status: object.status,
      failure: object.failure_code ?? null,
      amountCents: object.amount,
      currency: object.currency,
    }),
  );

const transfer = z
  .object({ id, destination: reference.nullable(), amount_reversed: cents, currency })
  .transform((object): TransferSeen & { accountId: string | null } => ({
    accountId: object.destination,
    transferId: object.id,
    reversedCents: object.amount_reversed,
    currency: object.currency,
  }));

const movement = z
  .object({ id, destination_payment: reference.nullish(), created: madeAt })
  .transform(
    (object): MovementSeen => ({ id: object.id, arrivalId: object.destination_payment ?? null, ...madeOf(object) }),
  );

/** Reads a payout. Like every reader here: null if a member that the service needs is missing or impossible. */
export const readPayout = reading(payout);
/** Reads a transfer: how much of it was reversed in total. */
export const readTransfer = reading(transfer);
/** Reads a transfer, a payout or a reversal that was made. */
export const readMovement = reading(movement);
